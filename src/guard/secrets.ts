/**
 * Secret scanning: keys of known makers by their shape, private keys, tokens, passwords in URLs, and values that are assigned to a name such as
 * `password` or `api_key` and look like one.
 *
 * Covered: what people paste by accident. Not covered: a secret without a shape in plain prose, one split over several lines, encoded ones. Hashes,
 * checksums, UUIDs, placeholders and names of variables pass. A finding never carries the value; the time is linear in the text.
 * Every repetition is bounded: in a process that has compiled many patterns V8 remembers each step of an unbounded one, until its stack is full.
 */
export interface Secret {
  /** The kind, for people. */
  kind: string;
  /** From 1. */
  line: number;
  start: number;
  end: number;
}

/** In the order of the text; none overlaps another. */
export function findSecrets(text: string): Secret[] {
  const spans = shapes
    .flatMap(({ kind, pattern, real = () => true }) =>
      Array.from(text.matchAll(pattern)).flatMap((match) => {
        const [start, end] = match.indices?.groups?.value ?? [match.index, match.index + match[0].length];
        return real(text.slice(start, end), match[0]) ? [{ kind, start, end }] : [];
      }),
    )
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const found: Secret[] = [];
  let [line, next, covered] = [1, text.indexOf("\n"), 0];
  for (const { kind, start, end } of spans) {
    if (start < covered) continue;
    // The end of the line is kept from span to span: searched again each time, a text of one line would be read as often as it has secrets.
    for (; next !== -1 && next < start; next = text.indexOf("\n", next + 1)) line++;
    found.push({ kind, line, start, end });
    covered = end;
  }
  return found;
}

/** Redacts: every secret is replaced by its kind. */
export function scrub(text: string): string {
  let [clean, at] = ["", 0];
  for (const { kind, start, end } of findSecrets(text)) {
    clean += `${text.slice(at, start)}[${kind} removed]`;
    at = end;
  }
  return at === 0 ? text : clean + text.slice(at);
}

interface Shape {
  kind: string;
  /** Global; the group `value` is the secret, if there is one, else the whole match is. */
  pattern: RegExp;
  real?(value: string, match: string): boolean;
}

/** No letter, digit or joint before it: `task-…` is not `sk-…`. */
const alone = "(?<![A-Za-z0-9_-])";
const key = (kind: string, body: string, real?: Shape["real"]): Shape => ({
  kind,
  pattern: new RegExp(alone + body, "g"),
  ...(real ? { real } : {}),
});

const shapes: readonly Shape[] = [
  {
    kind: "private key",
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}(?:-[^-]{0,200}){0,8}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[rn]){1,4}[A-Za-z0-9+/=]{12,4000}){0,100})/g,
  },
  key("Anthropic key", "sk-ant-[A-Za-z0-9_-]{20,20000}"),
  key("API key", "sk-[A-Za-z0-9_-]{20,20000}", (value) => random(value.slice(3))),
  key("Google key", "AIza[0-9A-Za-z_-]{35}"),
  key("GitHub token", "(?:gh[pousr]_[A-Za-z0-9]{36,20000}|github_pat_[A-Za-z0-9_]{22,20000})"),
  key("GitLab token", "glpat-[A-Za-z0-9_-]{20,20000}"),
  key("AWS access key", "(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
  key("Slack token", "xox[abeoprs]-[A-Za-z0-9-]{10,20000}", (value) => /\d/.test(value)),
  key("Slack webhook", "(?:https://)?hooks\\.slack\\.com/services/[A-Za-z0-9/]{20,20000}"),
  key("Stripe key", "(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,20000}"),
  key("API key", "(?:npm_|hf_|gsk_|xai-|pplx-|tvly-|dop_v1_|r8_)[A-Za-z0-9-]{30,20000}", (value) => random(value)),
  key("SendGrid key", "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}"),
  key("PyPI token", "pypi-AgE[A-Za-z0-9_-]{50,20000}"),
  key("Telegram token", "\\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", (value) => random(value.split(":")[1]!)),
  key("JSON web token", "eyJ[A-Za-z0-9_-]{10,20000}\\.eyJ[A-Za-z0-9_-]{10,20000}\\.[A-Za-z0-9_-]{10,20000}"),
  {
    kind: "authorization header",
    pattern: /\b(?:bearer|basic)\s{1,4}(?<value>[A-Za-z0-9._~+/=-]{16,20000})/dgi,
    real: (value) => random(value) && !named(value),
  },
  {
    kind: "password in an address",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:(?<value>[^\s@/]{3,200})@[^\s/@]/dgi,
    real: (value) => !named(value),
  },
  {
    kind: "password",
    pattern: assigned("pass(?:word|wd|phrase)?|pwd", 6),
    real: (value) => !named(value) && /[A-Za-z]/.test(value) && /[^A-Za-z.\-_]/.test(value),
  },
  {
    kind: "secret value",
    pattern: assigned("secret|token|api[_-]?key|(?:access|private|auth|account|secret)[_-]?key|credentials?", 16),
    real: (value, match) => !named(value) && random(value) && !(uuid.test(value) && /^token/i.test(match)),
  },
];

/** `name = value`, `"name": "value"`, `NAME=value`, `name is value`. */
function assigned(names: string, shortest: number): RegExp {
  const value = `(?<value>[^\\s"'\`,;]{${shortest},300})`;
  return new RegExp(`(?:${names})["'\`]?(?:\\s{0,4}(?:=>|:=|[=:])\\s{0,4}|\\s{1,4}is\\s{1,4})["'\`]?${value}`, "dgi");
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** It says where a secret is, or stands for one: a variable, a path, a URL, a call, a placeholder. */
const named = (value: string): boolean =>
  /^[$<%*]|[([{]|^\.{0,2}\/|^[a-z][a-z0-9+.-]*:\/\/|process\.env|\*{3}|x{4}|\.{3}|…/.test(value) ||
  /^[A-Z]+(?:_[A-Z0-9]+)+$/.test(value) ||
  /^(?:your|my|the|some|example|dummy|fake)[_-]/i.test(value) ||
  /^(?:pass(?:word|wd)?|pwd|secret|token|redacted|removed|changeme|placeholder)$/i.test(value);

/** The beginning of a value is enough to classify it. */
const mostLooked = 300;

/** Letters and digits mixed at random: words, dates, versions and plain numbers are not. */
function random(whole: string): boolean {
  const value = whole.slice(0, mostLooked);
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  if (bits < 3) return false;
  // Words joined by hyphens and dots have long runs of small letters and few digits.
  const digits = value.match(/\d/g)!.length;
  return digits >= 3 || /[a-z]\d[a-z]/.test(value) || hasSmallBetweenCapitals(value);
}

function hasSmallBetweenCapitals(value: string): boolean {
  const first = value.search(/[A-Z]/);
  const small = first < 0 ? -1 : value.slice(first).search(/[a-z]/);
  return small > 0 && /[A-Z]/.test(value.slice(first + small));
}
