import { isKeelsonError } from "../../errors/index.ts";
import {
  ANY,
  boolOf,
  box,
  canBeNil,
  elementRef,
  type GoFunction,
  type GoType,
  isTrue,
  type MapValue,
  NIL,
  REFLECT_VALUE,
  type Ref,
  stringOf,
  typeOf,
  unbox,
  type Value,
  zeroOf,
} from "../go/values.ts";
import { nodeText } from "../parse/node-text.ts";
import type {
  ChainNode,
  CommandNode,
  IdentifierNode,
  Node,
  OperandNode,
  PipeNode,
  VariableNode,
} from "../parse/nodes.ts";
import { callValue } from "./builtins.ts";
import { idealConstant, typedConstant } from "./constants.ts";
import type { State } from "./state.ts";

/** What comes from the preceding command of the pipeline; undefined where there is none. */
type Final = Ref | undefined;

/** A call's words: the function itself, then its arguments. */
type Words = readonly OperandNode[];

/** A call in progress. */
interface Call {
  readonly spec: GoFunction;
  readonly isBuiltin: boolean;
  readonly name: string;
  /** What an error of the function is reported at. */
  readonly node: Node;
  readonly args: Words;
  readonly final: Final;
}

/** The value of a pipeline; variables that it declares stay until the enclosing scope ends. */
export function evaluatePipeline(state: State, dot: Ref, pipe: PipeNode): Value {
  state.at(pipe);
  let value: Final;
  for (const command of pipe.commands) {
    // An interface value is opened after each command, so that `$x := .y` has the type of what .y holds.
    value = unbox(evaluateCommand(state, dot, { command, final: value }));
  }
  const result = value === undefined ? NIL : unbox(value);
  for (const variable of pipe.declared) {
    if (pipe.isAssign) {
      state.assign(variable.name, result);
    } else {
      state.declare(variable.name, result);
    }
  }
  return result;
}

function evaluateCommand(state: State, dot: Ref, step: { readonly command: CommandNode; readonly final: Final }): Ref {
  const { command, final } = step;
  const first = command.args[0];
  switch (first.kind) {
    case "field":
      state.at(first);
      return fieldChain(state, { receiver: dot, names: first.names, node: first }, { dot, args: command.args, final });
    case "chain":
      return chainValue(state, first, { dot, args: command.args, final });
    case "identifier":
      return functionValue(state, { identifier: first, node: command }, { dot, args: command.args, final });
    case "pipe":
      rejectArguments(state, command.args, final);
      return evaluatePipeline(state, dot, first);
    case "variable":
      return variableValue(state, first, { dot, args: command.args, final });
    default:
      state.at(first);
      rejectArguments(state, command.args, final);
      return wordValue(state, dot, first);
  }
}

function wordValue(state: State, dot: Ref, word: OperandNode): Ref {
  switch (word.kind) {
    case "bool":
      return boolOf(word.value);
    case "dot":
      return dot;
    case "nil":
      return state.fail("nil is not a command");
    case "number":
      return idealConstant(state, word);
    case "string":
      return stringOf(word.text);
    default:
      return state.fail(`can't evaluate command ${nodeText(word)}`);
  }
}

function rejectArguments(state: State, args: Words, final: Final): void {
  const [first] = args;
  if ((args.length > 1 || final !== undefined) && first !== undefined) {
    state.fail(`can't give argument to non-function ${nodeText(first)}`);
  }
}

/** The surroundings of a word that may be a call: what dot is, the words after it, the pipeline's value. */
interface Application {
  readonly dot: Ref;
  /** Empty where the word stands alone as an argument. */
  readonly args: Words;
  readonly final: Final;
}

function chainValue(state: State, chain: ChainNode, application: Application): Ref {
  state.at(chain);
  if (chain.operand.kind === "nil") {
    state.fail(`indirection through explicit nil in ${nodeText(chain)}`);
  }
  const receiver = argument(state, application.dot, { node: chain.operand, type: undefined });
  return fieldChain(state, { receiver, names: chain.names, node: chain }, application);
}

function variableValue(state: State, variable: VariableNode, application: Application): Ref {
  state.at(variable);
  const value = state.variable(variable.name);
  if (variable.fields.length === 0) {
    rejectArguments(state, application.args, application.final);
    return value;
  }
  return fieldChain(state, { receiver: value, names: variable.fields, node: variable }, application);
}

interface Fields {
  readonly receiver: Ref;
  readonly names: readonly string[];
  readonly node: Node;
}

/** `.X.Y.Z`, of which only the last may get arguments. */
function fieldChain(state: State, fields: Fields, application: Application): Ref {
  const alone: Application = { dot: application.dot, args: [], final: undefined };
  const last = fields.names.length - 1;
  return fields.names.reduce<Ref>(
    (receiver, name, index) =>
      fieldValue(state, { receiver, name, node: fields.node }, index === last ? application : alone),
    fields.receiver,
  );
}

function fieldValue(
  state: State,
  field: { readonly receiver: Ref; readonly name: string; readonly node: Node },
  application: Application,
): Ref {
  const { receiver, name } = field;
  if (receiver.kind === "nil") {
    return state.session.missingKey === "error" ? state.fail(`nil data; no entry for key "${name}"`) : NIL;
  }
  const inner = unbox(receiver);
  if (inner.kind === "nil") {
    return state.fail(`nil pointer evaluating ${typeOf(receiver)}.${name}`);
  }
  if (inner.kind === "object") {
    const method = inner.methods.get(name);
    if (method !== undefined) {
      return call(state, { spec: method, isBuiltin: false, name, node: field.node, ...application }, application.dot);
    }
  }
  if (inner.kind !== "map") {
    return state.fail(`can't evaluate field ${name} in type ${typeOf(receiver)}`);
  }
  if (application.args.length > 1 || application.final !== undefined) {
    state.fail(`${name} is not a method but has arguments`);
  }
  return entryValue(state, inner, name);
}

function entryValue(state: State, map: MapValue, key: string): Ref {
  const value = map.entries.get(key);
  if (value !== undefined) {
    return elementRef(value, map.element);
  }
  switch (state.session.missingKey) {
    case "default":
      return NIL;
    case "zero":
      return zeroOf(map.element);
    case "error":
      return state.fail(`map has no entry for key "${key}"`);
  }
}

function functionValue(
  state: State,
  word: { readonly identifier: IdentifierNode; readonly node: Node },
  application: Application,
): Ref {
  state.at(word.identifier);
  const name = word.identifier.name;
  const found = state.session.findFunction(name) ?? state.fail(`"${name}" is not a defined function`);
  return call(state, { ...found, name, node: word.node, ...application }, application.dot);
}

function call(state: State, callee: Call, dot: Ref): Ref {
  const plan: Call = { ...callee, args: callee.args.slice(1) };
  checkCount(state, plan);
  if (plan.isBuiltin && (plan.name === "and" || plan.name === "or")) {
    return shortCircuit(state, plan, dot);
  }
  const values = plan.args.map((node, index) => {
    const type = parameterType(plan.spec, index);
    return passed(argument(state, dot, { node, type }), type);
  });
  if (plan.final !== undefined) {
    const type = parameterType(plan.spec, values.length);
    values.push(passed(assignable(state, plan.final, type), type));
  }
  try {
    const result =
      plan.isBuiltin && plan.name === "call"
        ? callValue(calleeName(plan), values.map(unbox))
        : invoke(state, plan, values);
    return plan.spec.result === ANY ? box(result) : result;
  } catch (error) {
    if (!isKeelsonError(error)) {
      throw error;
    }
    state.at(plan.node);
    return state.fail(`error calling ${plan.name}: ${error.message}`, error);
  }
}

function passed(value: Ref, type: GoType): Ref {
  return type === REFLECT_VALUE ? value : unbox(value);
}

function invoke(state: State, plan: Call, values: readonly Ref[]): Value {
  return plan.spec.call(values, state.session.scope);
}

/** How `call` names what it was given: as written, or the piped value as reflect prints it. */
function calleeName(plan: Call): string {
  const [first] = plan.args;
  if (first !== undefined) {
    return nodeText(first);
  }
  const value = plan.final === undefined ? NIL : unbox(plan.final);
  return value.kind === "string" ? value.value : value.kind === "nil" ? "<invalid Value>" : `<${typeOf(value)} Value>`;
}

function checkCount(state: State, plan: Call): void {
  const { params, rest } = plan.spec;
  const given = plan.args.length + (plan.final === undefined ? 0 : 1);
  if (rest !== undefined && given < params.length) {
    state.fail(`wrong number of args for ${plan.name}: want at least ${params.length} got ${plan.args.length}`);
  }
  if (rest === undefined && given !== params.length) {
    state.fail(`wrong number of args for ${plan.name}: want ${params.length} got ${given}`);
  }
}

function parameterType(spec: GoFunction, index: number): GoType {
  return spec.params[index] ?? spec.rest ?? ANY;
}

/** `and` and `or` stop at the first argument that decides; those after it are never evaluated. */
function shortCircuit(state: State, plan: Call, dot: Ref): Ref {
  let value: Ref = NIL;
  for (const node of plan.args) {
    value = argument(state, dot, { node, type: REFLECT_VALUE });
    if (isTrue(unbox(value)) === (plan.name === "or")) {
      return value;
    }
  }
  return plan.final ?? value;
}

/** The value of an argument, fit for its parameter; type undefined takes anything. */
function argument(
  state: State,
  dot: Ref,
  wanted: { readonly node: OperandNode; readonly type: GoType | undefined },
): Ref {
  const { node, type } = wanted;
  state.at(node);
  const alone: Application = { dot, args: [], final: undefined };
  switch (node.kind) {
    case "dot":
      return assignable(state, dot, type);
    case "nil":
      return type !== undefined && canBeNil(type) ? nilArgument(type) : state.fail(`cannot assign nil to ${type}`);
    case "field":
      return assignable(state, fieldChain(state, { receiver: dot, names: node.names, node }, alone), type);
    case "variable":
      return assignable(state, variableValue(state, node, alone), type);
    case "pipe":
      return assignable(state, evaluatePipeline(state, dot, node), type);
    case "identifier":
      return assignable(state, functionValue(state, { identifier: node, node }, alone), type);
    case "chain":
      return assignable(state, chainValue(state, node, alone), type);
    default:
      return constant(state, node, type);
  }
}

function nilArgument(type: GoType): Ref {
  return type === REFLECT_VALUE ? NIL : zeroOf(type);
}

function constant(state: State, node: OperandNode, type: GoType | undefined): Ref {
  if (type !== undefined && type !== ANY && type !== REFLECT_VALUE) {
    return typedConstant(state, node, type);
  }
  state.at(node);
  switch (node.kind) {
    case "bool":
      return boolOf(node.value);
    case "number":
      return idealConstant(state, node);
    case "string":
      return stringOf(node.text);
    default:
      return state.fail(`can't handle assignment of ${nodeText(node)} to empty interface argument`);
  }
}

/** Makes sure that a value can be passed for a type; an interface is opened where what it holds fits. */
function assignable(state: State, value: Ref, type: GoType | undefined): Ref {
  if (type === undefined || type === REFLECT_VALUE) {
    return value;
  }
  if (value.kind === "nil") {
    return canBeNil(type) ? zeroOf(type) : state.fail(`invalid value; expected ${type}`);
  }
  if (type === ANY || typeOf(value) === type) {
    return value;
  }
  const inner = value.kind === "interface" && value.content.kind !== "nil" ? value.content : value;
  return typeOf(inner) === type ? inner : state.fail(`wrong type for value; expected ${type}; got ${typeOf(inner)}`);
}
