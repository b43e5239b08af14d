import { createHash } from "node:crypto";
import type { Declared, DesiredInput } from "../../converge/index.ts";
import { isKeelsonError, KeelsonError } from "../../errors/index.ts";
import type { ManifestObject, Problem, TemplateFolder } from "../../manifest/index.ts";
import { groupVersionKindOf, refKey } from "../../object/index.ts";
import { COMPONENTS, type Component, type ComponentName, type RenderContext } from "./components.ts";
import { toOperand } from "./operand.ts";

/** A component as one reconcile made it out. */
export interface RenderedComponent {
  readonly name: ComponentName;
  readonly isEnabled: boolean;
  /** Keys of its objects: what must be there, or, switched off, must not. */
  readonly keys: readonly string[];
  /** What keeps it from being rendered, as a whole or in part. */
  readonly errors: readonly KeelsonError[];
}

/** What a config asks for. */
export interface DesiredOperands {
  readonly input: DesiredInput;
  readonly components: readonly RenderedComponent[];
}

/** Where templates come from. */
export type Templates = Pick<TemplateFolder, "render">;

/**
 * Renders every component. One that is switched off is rendered too: what it would make must not be there, whoever made
 * it. A component that cannot be rendered stops no other; what it made before is held rather than pruned.
 */
export function desiredOperands(templates: Templates, context: RenderContext): DesiredOperands {
  const declared: Declared[] = [];
  const broken: string[] = [];
  const components: RenderedComponent[] = [];
  for (const component of COMPONENTS) {
    if (!component.isKnown(context)) continue;
    const isEnabled = component.isEnabled(context);
    const { objects, errors } = renderComponent(templates, component, context);
    for (const manifest of objects) declared.push({ manifest, mode: isEnabled ? "Reconcile" : "Absent" });
    broken.push(...errors.map((error) => `${component.name}@${shortDigest(error.message)}`));
    components.push({ name: component.name, isEnabled, keys: objects.map(keyOf), errors });
  }
  const input = { declared, mentioned: [], broken, isMissing: false, isEmptyMeant: true, reduced: new Map() };
  return { input, components };
}

/** Nothing at all: there is no config, or it is going. */
export const NOTHING_ASKED: DesiredInput = {
  declared: [],
  mentioned: [],
  broken: [],
  isMissing: false,
  isEmptyMeant: true,
  reduced: new Map(),
};

interface Rendering {
  readonly objects: readonly ManifestObject[];
  readonly errors: readonly KeelsonError[];
}

function renderComponent(templates: Templates, component: Component, context: RenderContext): Rendering {
  const refusal = component.isEnabled(context) ? refusalOf(component, context) : undefined;
  if (refusal !== undefined) return { objects: [], errors: [refusal] };
  const { objects, problems } = templates.render(component.data(context), component.folder);
  const errors = problems.map((problem) => problemError(component, problem));
  const operands: ManifestObject[] = [];
  for (const object of objects) {
    try {
      operands.push(toOperand(object, component, context));
    } catch (error) {
      if (!isKeelsonError(error)) throw error;
      errors.push(error);
    }
  }
  return { objects: operands, errors };
}

function refusalOf(component: Component, context: RenderContext): KeelsonError | undefined {
  const unsupported = component.unsupported(context);
  if (unsupported !== undefined) return new KeelsonError("Refused", unsupported, { object: component.name });
  const missing = component.required.filter((name) => context.environment.text(name) === "");
  if (missing.length === 0) return undefined;
  const message = `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set: set it in the environment of Keelson`;
  return new KeelsonError("InvalidFlag", message, { object: component.name });
}

function problemError(component: Component, { code, file, line, message }: Problem): KeelsonError {
  const place = line === undefined ? file : `${file}:${line}`;
  return new KeelsonError(code, `${place}: ${message}`, { object: component.name });
}

function keyOf(manifest: ManifestObject): string {
  const { group, kind } = groupVersionKindOf(manifest);
  return refKey({ group, kind, namespace: manifest.namespace ?? "", name: manifest.name });
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
