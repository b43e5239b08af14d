import { boolOf, floatOf, type GoType, intOf, NIL, stringOf, type Value } from "../go/values.ts";
import { nodeText } from "../parse/node-text.ts";
import type { NumberNode, OperandNode } from "../parse/nodes.ts";
import type { State } from "./state.ts";

/** The value of a number where nothing but its spelling says its type: an exponent or a point makes it a float64. */
export function idealConstant(state: State, node: NumberNode): Value {
  state.at(node);
  const { complex, float, int, uint } = node.constant;
  if (complex !== undefined) {
    return { kind: "complex128", ...complex };
  }
  const isSpelledAsFloat = !isHexadecimal(node.text) && node.text[0] !== "'" && /[.eEpP]/.test(node.text);
  if (float !== undefined && isSpelledAsFloat) {
    return floatOf(float);
  }
  if (int !== undefined) {
    return intOf(int);
  }
  return uint === undefined ? NIL : state.fail(`${node.text} overflows int`);
}

function isHexadecimal(text: string): boolean {
  return /^0[xX]./.test(text) && !/[pP]/.test(text);
}

/** A constant where the parameter's type is known; other nodes, and types without constants, are errors. */
export function typedConstant(state: State, node: OperandNode, type: GoType): Value {
  switch (type) {
    case "bool":
      state.at(node);
      return node.kind === "bool" ? boolOf(node.value) : unexpected(state, node, "bool");
    case "string":
      state.at(node);
      return node.kind === "string" ? stringOf(node.text) : unexpected(state, node, "string");
    case "float64":
      state.at(node);
      return node.kind === "number" && node.constant.float !== undefined
        ? floatOf(node.constant.float)
        : unexpected(state, node, "float");
    case "int":
    case "int64":
      state.at(node);
      return node.kind === "number" && node.constant.int !== undefined
        ? intOf(node.constant.int, type)
        : unexpected(state, node, "integer");
    default:
      return state.fail(`can't handle ${nodeText(node)} for arg of type ${type}`);
  }
}

function unexpected(state: State, node: OperandNode, wanted: string): never {
  return state.fail(`expected ${wanted}; found ${nodeText(node)}`);
}
