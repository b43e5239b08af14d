import { quote } from "../go/quote.ts";
import type { BranchNode, CommandNode, ListNode, Node, PipeNode, TemplateNode } from "./nodes.ts";

/** A node as Go prints it in error texts: normalised blanks, strings as written. */
export function nodeText(node: Node): string {
  switch (node.kind) {
    case "text":
      return node.text;
    case "action":
      return `{{${pipeText(node.pipe)}}}`;
    case "if":
    case "with":
    case "range":
      return branchText(node);
    case "template":
      return templateText(node);
    case "break":
    case "continue":
      return `{{${node.kind}}}`;
    case "list":
      return listText(node);
    case "command":
      return commandText(node);
    default:
      return operandText(node);
  }
}

function operandText(node: Exclude<Node, { readonly kind: "text" | "action" }>): string {
  switch (node.kind) {
    case "pipe":
      return pipeText(node);
    case "field":
      return node.names.map((name) => `.${name}`).join("");
    case "variable":
      return [node.name, ...node.fields].join(".");
    case "chain":
      return [argumentText(node.operand), ...node.names].join(".");
    case "identifier":
      return node.name;
    case "dot":
      return ".";
    case "nil":
      return "nil";
    case "bool":
      return String(node.value);
    case "number":
      return node.text;
    case "string":
      return node.quoted;
    default:
      return nodeText(node);
  }
}

function argumentText(node: Node): string {
  return node.kind === "pipe" ? `(${pipeText(node)})` : nodeText(node);
}

function commandText(node: CommandNode): string {
  return node.args.map(argumentText).join(" ");
}

function pipeText(node: PipeNode): string {
  const commands = node.commands.map(commandText).join(" | ");
  if (node.declared.length === 0) {
    return commands;
  }
  return `${node.declared.map(nodeText).join(", ")} ${node.isAssign ? "=" : ":="} ${commands}`;
}

function listText(node: ListNode): string {
  return node.nodes.map(nodeText).join("");
}

function branchText(node: BranchNode): string {
  const otherwise = node.elseList === undefined ? "" : `{{else}}${listText(node.elseList)}`;
  return `{{${node.kind} ${pipeText(node.pipe)}}}${listText(node.list)}${otherwise}{{end}}`;
}

function templateText(node: TemplateNode): string {
  return `{{template ${quote(node.name)}${node.pipe === undefined ? "" : ` ${pipeText(node.pipe)}`}}}`;
}
