/**
 * The mutants of one file: small changes of its code, each of which some test or the simulation should notice.
 *
 * Operators: conditions held true or false; `&&`, `||` and `??` reduced to one side; boundaries and equality of comparisons; arithmetic; negation; booleans, numbers and words; arrays emptied; functions and cases without a body; statements, fields of
 * an object and links of `?.` left out; calls that choose or order (`filter`, `some`, `slice`, `sort`, …) left out or turned round.
 *
 * Left out: types; prose (texts with blanks in them, the messages of Problems), because rewording is no mistake; regular expressions; loops
 * that would only be waited for; what is noticed with another mutant (`||` for `&&`, an only statement and the body around it).
 */
import {
  type BinaryExpression,
  type CallExpression,
  type ChainExpression,
  type Expression,
  type Node,
  type ObjectExpression,
  parseSync,
  visitorKeys,
} from "oxc-parser";

/** One expression instead of another; statements that are skipped; a function or a case that is left before its first statement. */
type Kind = "replace" | "skip" | "return" | "break";

interface Span {
  start: number;
  end: number;
}

export interface Mutant extends Span {
  kind: Kind;
  /** What takes the place of an expression. */
  code: string;
  /** Both forms can be evaluated side by side: a test in which they never differ cannot tell them apart. `truth`: only as a condition. */
  compare: "value" | "truth" | null;
  file: string;
  line: number;
  /** The trimmed line on which it begins: with `original` and `replacement` what it is known by. */
  text: string;
  original: string;
  replacement: string;
}

const comparisons: Record<string, string> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
};
const arithmetic: Record<string, string> = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*" };
const turned: Record<string, string> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  find: "findLast",
  findLast: "find",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  round: "floor",
};
const droppable = ["filter", "sort", "toSorted", "reverse", "toReversed", "slice", "trim", "toLowerCase"];

/** Where a node stands. */
interface Place {
  node: Node;
  key: string;
  up: Place | null;
  /** An expression that may stand in parentheses. */
  whole: boolean;
  /** Part of `a?.b.c`, where parentheses would end the chain. */
  chain: boolean;
  /** Within a text for people. */
  prose: boolean;
}

export function mutantsOf(file: string, source: string): Mutant[] {
  const { program, errors } = parseSync(file, source, { preserveParens: false });
  if (errors.length) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`);
  const found = new Map<string, Mutant>();
  const raw = ({ start, end }: Span): string => source.slice(start, end);

  function add(
    kind: Kind,
    { start, end }: Span,
    code: string,
    replacement = code,
    compare: Mutant["compare"] = null,
  ): void {
    const key = `${kind} ${start} ${end} ${code}`;
    if (found.has(key)) return;
    const from = source.lastIndexOf("\n", start - 1) + 1;
    const text = source.slice(from).split("\n", 1)[0]!.trim();
    const line = source.slice(0, start).split("\n").length;
    found.set(key, {
      ...{ kind, start, end, code, compare, file, line, text },
      original: short(raw({ start, end })),
      replacement: short(replacement),
    });
  }

  /** Of the expression that is looked at. */
  let compare: Mutant["compare"] = null;

  function replace(node: Node, ...codes: string[]): void {
    for (const code of codes) if (code !== raw(node)) add("replace", node, code, code, compare);
  }

  function visit(place: Place): void {
    const { node } = place;
    if (/^TS(As|Satisfies|NonNull)/.test(node.type)) {
      visit({ ...place, node: (node as unknown as { expression: Node }).expression });
      return;
    }
    if (/^(TS|Import|ExportAll)/.test(node.type)) return;
    if (place.whole && !place.chain) mutateExpression(place);
    mutateStatement(place);
    for (const key of visitorKeys[node.type] ?? [])
      for (const child of [(node as unknown as Record<string, Node | Node[]>)[key]].flat())
        if (child && !isName(node, key) && !isMessage(node, child)) visit(placeOf(place, key, child));
  }

  function placeOf(up: Place, key: string, node: Node): Place {
    const { node: parent } = up;
    const isTarget =
      (parent.type === "AssignmentExpression" && key === "left") ||
      (/^For(In|Of)/.test(parent.type) && key === "left") ||
      parent.type === "UpdateExpression" ||
      (parent.type === "UnaryExpression" && /^(delete|typeof)$/.test(parent.operator)) ||
      /^(callee|tag|params|quasis|id|label|quasi)$/.test(key);
    const isLink = parent.type === "ChainExpression" || (up.chain && /^(object|callee|expression)$/.test(key));
    const prose = up.prose || (parent.type === "TemplateLiteral" && isProse(parent));
    return { node, key, up, whole: !isTarget, chain: isLink, prose };
  }

  /** The text of a Problem. */
  const isMessage = (parent: Node, child: Node): boolean =>
    parent.type === "NewExpression" && raw(parent.callee) === "Problem" && parent.arguments[1] === child;

  function mutateExpression(place: Place): void {
    const { node, key, up, prose } = place;
    const parent = up?.node;
    const isCondition =
      key === "test" && (parent?.type === "IfStatement" || (parent?.type === "ConditionalExpression" && !prose));
    compare = !isPure(node, raw) ? null : key === "test" ? "truth" : "value";
    // Whoever notices `a` instead of `a && b` would notice `true`.
    const joint = node.type === "LogicalExpression" ? node.operator : undefined;
    if (isCondition && joint !== "&&") replace(node, "true");
    if (isCondition && joint !== "||") replace(node, "false");
    if (key === "test" && (parent?.type === "WhileStatement" || parent?.type === "ForStatement"))
      replace(node, "false");
    const isValue =
      (parent?.type === "ArrowFunctionExpression" && key === "body" && node.type !== "BlockStatement") ||
      (parent?.type === "ReturnStatement" && isLast(up!)) ||
      (parent?.type === "ExpressionStatement" && !isOnly(up!));
    if (isValue && !/^(Binary|Logical)/.test(node.type)) replace(node, "undefined");
    if (node.type === "BinaryExpression") mutateBinary(node as BinaryExpression, isCondition);
    else if (node.type === "LogicalExpression") replace(node, raw(node.left), raw(node.right));
    else if (node.type === "UnaryExpression") {
      const isNegation = node.operator === "!" && !isCondition;
      const isMinus = node.operator === "-" && node.argument.type !== "Literal";
      if (isNegation || isMinus) replace(node, raw(node.argument));
    } else if (node.type === "UpdateExpression" && parent?.type !== "ForStatement") {
      replace(
        node,
        raw(node).replace(/\+\+|--/, (sign) => (sign === "++" ? "--" : "++")),
      );
    } else if (node.type === "AssignmentExpression") {
      if (/^[+-]=$/.test(node.operator) && !isText(node.right))
        replace(node, `${raw(node.left)} ${node.operator === "+=" ? "-=" : "+="} ${raw(node.right)}`);
    } else if (node.type === "Literal") {
      if (!prose || typeof node.value === "boolean") mutateLiteral(node, place);
    } else if (node.type === "TemplateLiteral") {
      if (!prose && !isProse(node)) replace(node, '""');
    } else if (node.type === "ArrayExpression") {
      if (node.elements.length) replace(node, "[]");
    } else if (node.type === "ObjectExpression") mutateObject(node);
    else if (node.type === "CallExpression") mutateCall(node);
    else if (node.type === "ChainExpression") for (const at of linksOf(node)) replace(node, unlinked(node, at));
  }

  function mutateLiteral(node: Node & { value?: unknown }, { key, up }: Place): void {
    const { value } = node;
    if (typeof value === "boolean") replace(node, String(!value));
    if (typeof value === "number") replace(node, value < 100 ? String(value + 1) : `${raw(node)} * 2`);
    // A word that is compared is mutated with the comparison, a case with the case.
    const isCompared = up?.node.type === "BinaryExpression" || up?.node.type === "SwitchCase";
    if (typeof value === "string" && !/\s/.test(value) && !isCompared && key !== "source")
      replace(node, value === "" ? '"x"' : '""');
  }

  function mutateBinary(node: BinaryExpression, isCondition: boolean): void {
    const compared = comparisons[node.operator];
    if (compared && !(isCondition && /^[!=]/.test(compared))) replace(node, joined(node, compared));
    const other = arithmetic[node.operator];
    if (other && !isText(node)) replace(node, joined(node, other));
  }

  const joined = ({ left, right }: BinaryExpression, operator: string): string =>
    `${grouped(left as Node)} ${operator} ${grouped(right)}`;
  const grouped = (node: Node): string =>
    /^(Logical|Binary|Conditional|Assignment|Arrow|Await|TS)/.test(node.type) ? `(${raw(node)})` : raw(node);

  /** An update (`{ ...before, field }`) without one of its parts. A new object without a field is what types are for. */
  function mutateObject(node: ObjectExpression): void {
    if (!node.properties.some(({ type }) => type === "SpreadElement")) return;
    for (const property of node.properties) {
      const rest = node.properties.filter((other) => other !== property).map(raw);
      add("replace", node, `{ ${rest.join(", ")} }`, `without ${raw(property)}`, compare);
    }
  }

  function mutateCall(node: CallExpression): void {
    const { callee } = node;
    if (callee.type !== "MemberExpression" || callee.computed || node.optional || callee.optional) return;
    const name = raw(callee.property);
    const rest = source.slice(callee.property.end, node.end);
    if (Object.hasOwn(turned, name)) replace(node, `${grouped(callee.object)}.${turned[name]}${rest}`);
    if (droppable.includes(name)) replace(node, grouped(callee.object));
  }

  /** Where `?.` stands in a chain, its arguments left aside. */
  function linksOf(chain: ChainExpression): number[] {
    const places: number[] = [];
    for (let node: Node | undefined = chain.expression; node; ) {
      const { object, callee, expression, optional } = node as unknown as Record<string, Node | undefined>;
      const before: Node | undefined = object ?? callee ?? expression;
      if (before && optional) places.push(source.indexOf("?.", before.end));
      node = before && /^(Member|Call|TSNonNull)/.test(node.type) ? before : undefined;
    }
    return places;
  }

  function unlinked({ start, end }: Span, at: number): string {
    const dot = /[\w$]/.test(source[at + 2]!) ? "." : "";
    return source.slice(start, at) + dot + source.slice(at + 2, end);
  }

  function mutateStatement(place: Place): void {
    const { node, key, up } = place;
    const parent = up?.node;
    if (node.type === "BlockStatement" && node.body.length) {
      const inside = { start: node.start + 1, end: node.end - 1 };
      const isBranch = parent?.type === "IfStatement" && parent.alternate !== null;
      const isPart = /^(For|ForOf|ForIn)Statement$|^CatchClause$/.test(parent?.type ?? "") || key === "finalizer";
      if (isFunctionBody(place)) add("return", inside, "", "{}");
      else if (isBranch || isPart) add("skip", inside, "", "{}");
    } else if (node.type === "SwitchCase" && node.consequent.length) {
      add("break", { start: node.consequent[0]!.start, end: node.end }, "", "break");
    } else if (node.type === "ThrowStatement" && !isOnly(place)) add("skip", node, "", "");
  }

  visit({ node: program, key: "", up: null, whole: false, chain: false, prose: false });
  return [...found.values()];
}

const pureCalls =
  /^(String|Number|Math\.\w+|Date\.parse|Object\.(keys|values|entries|hasOwn)|Array\.isArray|(is|has|can|must)[A-Z]\w*|.*[.](has|get|includes|some|every|filter|map|find|findLast|at|test|startsWith|endsWith|slice|trim|join|split|values|keys|entries|toString|localeCompare|indexOf|lastIndexOf|toLowerCase))$/s;

/** Evaluating it twice changes nothing, as far as names tell. */
function isPure(node: Node, raw: (node: Span) => string): boolean {
  if (/^(Await|Yield|Assignment|Update|New|Tagged|Import)/.test(node.type)) return false;
  if (node.type === "UnaryExpression" && node.operator === "delete") return false;
  if (node.type === "CallExpression" && !pureCalls.test(raw(node.callee).replaceAll("?", ""))) return false;
  if (node.type === "BlockStatement") return false;
  return (visitorKeys[node.type] ?? []).every((key) =>
    [(node as unknown as Record<string, Node | Node[]>)[key]].flat().every((child) => !child || isPure(child, raw)),
  );
}

const isName = (parent: Node, key: string): boolean =>
  (key === "key" || key === "property") && "computed" in parent && !parent.computed;

const isFunctionBody = ({ key, up }: Place): boolean => key === "body" && /Function/.test(up?.node.type ?? "");

/** The statement is all there is in a body that is left out as a whole, or that its condition leaves out. */
function isOnly({ key, up }: Place): boolean {
  if (up?.node.type === "IfStatement") return true;
  if (up?.node.type === "SwitchCase") return up.node.consequent.length === 1;
  if (up?.node.type !== "BlockStatement" || key !== "body" || up.node.body.length > 1) return false;
  return isFunctionBody(up) || up.up?.node.type === "IfStatement" || up.up?.node.type.startsWith("For") === true;
}

/** Of a function with more than one statement. A return under a condition is left out with the condition. */
const isLast = ({ up }: Place): boolean =>
  up?.node.type === "BlockStatement" && up.node.body.length > 1 && isFunctionBody(up);

const isProse = (node: Node): boolean =>
  node.type === "TemplateLiteral" && node.quasis.some(({ value }) => /\s/.test(value.raw));

/** Adds to a text, as far as the syntax shows. */
function isText(node: Node | Expression): boolean {
  if (node.type === "BinaryExpression") return isText(node.left as Node) || isText(node.right);
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

const short = (code: string): string => {
  const line = code.replace(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
};
