import { formatDefault, sortedEntries } from "../fmt/printer.ts";
import { quote } from "../go/quote.ts";
import { elementRef, intOf, isTrue, itemsOf, NIL, type Ref, stringOf, type Value } from "../go/values.ts";
import type { BranchNode, ListNode, StatementNode, TemplateNode } from "../parse/nodes.ts";
import { evaluatePipeline } from "./evaluate.ts";
import { State } from "./state.ts";

/** How a statement ends: on to the next one, or out of the innermost range's body. */
type Flow = "next" | "break" | "continue";

/** What an action prints for nil. */
const NO_VALUE = "<no value>";

/** Executes a template's body with `dot`; output goes to the session. */
export function walkList(state: State, dot: Ref, list: ListNode): Flow {
  for (const node of list.nodes) {
    const flow = walk(state, dot, node);
    if (flow !== "next") {
      return flow;
    }
  }
  return "next";
}

function walk(state: State, dot: Ref, node: StatementNode): Flow {
  state.at(node);
  switch (node.kind) {
    case "text":
      state.session.out.push(node.text);
      return "next";
    case "action": {
      const value = evaluatePipeline(state, dot, node.pipe);
      if (node.pipe.declared.length === 0) {
        state.session.out.push(value.kind === "nil" ? NO_VALUE : formatDefault(value));
      }
      return "next";
    }
    case "if":
    case "with":
      return walkCondition(state, dot, node);
    case "range":
      return walkRange(state, dot, node);
    case "template":
      walkTemplate(state, dot, node);
      return "next";
    case "break":
    case "continue":
      return node.kind;
  }
}

function walkCondition(state: State, dot: Ref, node: BranchNode): Flow {
  const mark = state.mark();
  const value = evaluatePipeline(state, dot, node.pipe);
  let flow: Flow = "next";
  if (isTrue(value)) {
    flow = walkList(state, node.kind === "with" ? value : dot, node.list);
  } else if (node.elseList !== undefined) {
    flow = walkList(state, dot, node.elseList);
  }
  state.pop(mark);
  return flow;
}

/** One step of a range: what its variables are set to. */
interface Step {
  readonly index: Ref;
  readonly element: Ref;
}

function walkRange(state: State, dot: Ref, node: BranchNode): Flow {
  const outer = state.mark();
  const value = evaluatePipeline(state, dot, node.pipe);
  const inner = state.mark();
  let isEmpty = true;
  for (const step of stepsOf(state, value, node)) {
    isEmpty = false;
    setRangeVariables(state, node, step);
    const flow = walkList(state, step.element, node.list);
    state.pop(inner);
    if (flow === "break") {
      break;
    }
  }
  let flow: Flow = "next";
  if (isEmpty && node.elseList !== undefined) {
    flow = walkList(state, dot, node.elseList);
  }
  state.pop(outer);
  // In Go a break in the else branch, although it belongs to the range around, ends only this one.
  return flow === "break" ? "next" : flow;
}

function setRangeVariables(state: State, node: BranchNode, step: Step): void {
  const { declared, isAssign } = node.pipe;
  const [first, second] = declared;
  if (first === undefined) {
    return;
  }
  if (!isAssign) {
    state.setFromTop(1, step.element);
    if (second !== undefined) {
      state.setFromTop(2, step.index);
    }
    return;
  }
  state.assign(first.name, second === undefined ? step.element : step.index);
  if (second !== undefined) {
    state.assign(second.name, step.element);
  }
}

function* stepsOf(state: State, value: Value, node: BranchNode): Generator<Step> {
  switch (value.kind) {
    case "nil":
      return;
    case "int":
      if (node.pipe.declared.length > 1) {
        state.fail(`can't use ${formatDefault(value)} to iterate over more than one variable`);
      }
      for (let element = 0n; element < value.value; element += 1n) {
        yield { index: NIL, element: intOf(element, value.type) };
      }
      return;
    case "slice":
      for (const [index, item] of itemsOf(value).entries()) {
        yield { index: intOf(index), element: elementRef(item, value.element) };
      }
      return;
    case "map":
      for (const [key, item] of sortedEntries(value)) {
        yield { index: stringOf(key), element: elementRef(item, value.element) };
      }
      return;
    default:
      state.fail(`range can't iterate over ${formatDefault(value)}`);
  }
}

function walkTemplate(state: State, dot: Ref, node: TemplateNode): void {
  const tree = state.session.source.trees.get(node.name) ?? state.fail(`template ${quote(node.name)} not defined`);
  state.session.deepest = { state, node };
  const value = node.pipe === undefined ? NIL : evaluatePipeline(state, dot, node.pipe);
  // No dynamic scoping: the called template sees none of the caller's variables.
  walkList(new State(state.session, tree, value), value, tree.root);
}
