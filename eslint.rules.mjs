// Lint rules of this project's own.

/** `eslint-disable` and `@ts-expect-error` say why on their own line: `eslint-disable-next-line some-rule -- reason`. */
const reasonedSuppression = {
  meta: {
    type: 'problem',
    messages: { reason: 'A suppression states its reason on its line, after " -- ".' },
    schema: [],
  },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments())
        if (/^\s*(eslint-disable|@ts-expect-error)/.test(comment.value) && !/ -- \S+ \S+/.test(comment.value))
          context.report({ loc: comment.loc, messageId: 'reason' });
    },
  }),
};

/** `as unknown as T` turns the compiler off: the line says why the type is right all the same. */
const reasonedCast = {
  meta: {
    type: 'problem',
    messages: { reason: 'A cast through unknown says on its line why it cannot be wrong.' },
    schema: [],
  },
  create: (context) => ({
    'TSAsExpression > TSAsExpression.expression > TSUnknownKeyword'({ parent }) {
      const { sourceCode } = context;
      const { line } = parent.parent.loc.end;
      const explained = sourceCode.getAllComments().some(({ loc }) => loc.start.line === line || loc.end.line === line);
      if (!explained) context.report({ node: parent, messageId: 'reason' });
    },
  }),
};

/** SQL that PostgreSQL has only since the version named: the oldest one that the platform runs on is 15. */
const NEWER_SQL = [
  [16, /\bis\s+(not\s+)?json\b(?!\s+of\b)/i],
  [
    16,
    /\b(any_value|array_sample|array_shuffle|date_add|date_subtract|json_array(?:agg)?|json_object(?:agg)?|pg_input_(?:is_valid|error_info)|random_normal|erfc?)\s*\(/i,
  ],
  [
    17,
    /\b(json_(?:table|exists|value|query|scalar|serialize)|merge_action|to_(?:bin|oct)|uuid_extract_\w+|unicode_assigned|xmltext|pg_basetype)\s*\(/i,
  ],
  [17, /\bmerge\s+into\b[^;]*\breturning\b|\bnot\s+matched\s+by\s+source\b|\bat\s+local\b|\btransaction_timeout\b/i],
  [18, /\b(uuidv[47]|casefold|array_sort|array_reverse|crc32c?|pg_get_acl)\s*\(/i],
  [18, /\bwithout\s+overlaps\b|\bnot\s+enforced\b|\breturning\s+(?:with\s*\(|(?:old|new)\.)|\)\s+virtual\b/i],
];

/** Text that reads as SQL: a statement, or a condition of one. */
const SQL_TEXT =
  /\b(select|insert\s+into|update\s+\S+\s+set|delete\s+from|merge\s+into|alter\s+\w+|create\s+(?:or\s+replace\s+)?\w+|where|case\s+when|coalesce)\b/i;

/** The lint knows names, not meanings: the suite's database tests also run on the oldest version. */
const oldestPostgres = {
  meta: {
    type: 'problem',
    messages: { newer: 'PostgreSQL has `{{found}}` only since version {{version}}; the platform runs on 15.' },
    schema: [],
  },
  create: (context) => {
    const check = (node, text) => {
      if (!SQL_TEXT.test(text)) return;
      for (const [version, pattern] of NEWER_SQL) {
        const found = pattern.exec(text)?.[0];
        if (found) context.report({ node, messageId: 'newer', data: { found, version } });
      }
    };
    return {
      Literal: (node) => typeof node.value === 'string' && check(node, node.value),
      // A condition may begin in one part and go on in the next.
      TemplateLiteral: (node) => check(node, node.quasis.map(({ value }) => value.cooked).join(' $ ')),
    };
  },
};

/** Bounds: constants in capitals, `max`, `limit`, and numbers beyond the parts of dates, ids and hashes. */
const BOUND = /\b([A-Z][A-Z0-9]*(_[A-Z0-9]+)*(?!\.|\w)|max\w*|most\w*|limit|[5-9]\d|\d_?\d{2,}|\d+_\d{3})\b/;

/** Text is shortened by `cut`: `slice` counts UTF-16 units, and half a surrogate pair cannot be stored. */
const wholeCharacters = {
  meta: {
    type: 'problem',
    messages: { cut: 'Shorten text with libs/kernel/cut.ts, which never leaves half a character.' },
    schema: [],
  },
  create: (context) => {
    const { esTreeNodeToTSNodeMap, program } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();
    const isText = (node) => {
      const type = checker.getNonNullableType(checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(node)));
      return checker.isTypeAssignableTo(type, checker.getStringType());
    };
    const isSpreadText = ({ type, elements }) =>
      type === 'ArrayExpression' &&
      elements.length === 1 &&
      elements[0]?.type === 'SpreadElement' &&
      isText(elements[0].argument);
    return {
      'CallExpression[callee.property.name=/^(slice|substring|substr)$/]'(node) {
        const { object, property } = node.callee;
        const bounded =
          property.name !== 'slice' || node.arguments.some((each) => BOUND.test(context.sourceCode.getText(each)));
        if (bounded && (isText(object) || isSpreadText(object))) context.report({ node, messageId: 'cut' });
      },
    };
  },
};

/** Plugin `project` of eslint.config.mjs. */
export const projectRules = {
  rules: {
    'reasoned-suppression': reasonedSuppression,
    'reasoned-cast': reasonedCast,
    'oldest-postgres': oldestPostgres,
    'whole-characters': wholeCharacters,
  },
};
