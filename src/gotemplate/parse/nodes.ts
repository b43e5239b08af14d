import type { NumberConstant } from "./number-constant.ts";

/**
 * The syntax tree, with the shapes and positions of Go's package text/template/parse: error texts print nodes and name
 * their columns. A position is an index into the template's text.
 */

interface Positioned {
  readonly at: number;
}

export interface TextNode extends Positioned {
  readonly kind: "text";
  readonly text: string;
}

export interface ActionNode extends Positioned {
  readonly kind: "action";
  readonly pipe: PipeNode;
}

export interface BranchNode extends Positioned {
  readonly kind: "if" | "with" | "range";
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | undefined;
}

export interface TemplateNode extends Positioned {
  readonly kind: "template";
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}

export interface BreakNode extends Positioned {
  readonly kind: "break" | "continue";
}

export interface ListNode extends Positioned {
  readonly kind: "list";
  readonly nodes: readonly StatementNode[];
}

/** `$x, $y := command | command`. */
export interface PipeNode extends Positioned {
  readonly kind: "pipe";
  readonly isAssign: boolean;
  readonly declared: readonly VariableNode[];
  readonly commands: readonly CommandNode[];
}

/** A word and its arguments. */
export interface CommandNode extends Positioned {
  readonly kind: "command";
  readonly args: readonly [OperandNode, ...OperandNode[]];
}

export interface FieldNode extends Positioned {
  readonly kind: "field";
  readonly names: readonly string[];
}

/** `$x.Field`: the variable, then the fields. */
export interface VariableNode extends Positioned {
  readonly kind: "variable";
  readonly name: string;
  readonly fields: readonly string[];
}

/** `(pipeline).Field`. */
export interface ChainNode extends Positioned {
  readonly kind: "chain";
  readonly operand: OperandNode;
  readonly names: readonly string[];
}

export interface IdentifierNode extends Positioned {
  readonly kind: "identifier";
  readonly name: string;
}

export interface DotNode extends Positioned {
  readonly kind: "dot";
}

export interface NilNode extends Positioned {
  readonly kind: "nil";
}

export interface BoolNode extends Positioned {
  readonly kind: "bool";
  readonly value: boolean;
}

export interface NumberNode extends Positioned {
  readonly kind: "number";
  readonly text: string;
  readonly constant: NumberConstant;
}

export interface StringNode extends Positioned {
  readonly kind: "string";
  /** As written, with its quotes. */
  readonly quoted: string;
  readonly text: string;
}

export type OperandNode =
  | PipeNode
  | FieldNode
  | VariableNode
  | ChainNode
  | IdentifierNode
  | DotNode
  | NilNode
  | BoolNode
  | NumberNode
  | StringNode;

export type StatementNode = TextNode | ActionNode | BranchNode | TemplateNode | BreakNode;

export type Node = StatementNode | ListNode | CommandNode | OperandNode;

/** One template of a set: its name and its body. */
export interface Tree {
  readonly name: string;
  readonly root: ListNode;
}

/** Everything that one text defines. */
export interface ParsedText {
  /** The name that error texts give the text: the top-level template's. */
  readonly name: string;
  readonly text: string;
  readonly trees: ReadonlyMap<string, Tree>;
}

/** Whether a body prints nothing by itself: blank text only. Such a definition never replaces another. */
export function isEmptyList(list: ListNode): boolean {
  return list.nodes.every((node) => node.kind === "text" && node.text.trim() === "");
}
