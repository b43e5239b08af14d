/**
 * Reads the field path of an API server's cause, such as `spec.ports[1].name` or `metadata.annotations[a/b]`: names as
 * text, list indices as numbers. Undefined where it is no such path.
 */
export function parseCausePath(field: string): readonly (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  let rest = field;
  while (rest !== "") {
    const [whole, name, inBrackets] = STEP.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    if (name !== undefined) steps.push(name);
    else if (inBrackets !== undefined) steps.push(/^\d+$/.test(inBrackets) ? Number(inBrackets) : inBrackets);
    rest = rest.slice(whole.length);
  }
  return steps;
}

const STEP = /^(?:\.?([^.[\]]+)|\[([^\]]*)\])/;
