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

/** Plugin `project` of eslint.config.mjs. */
export const projectRules = {
  rules: { 'reasoned-suppression': reasonedSuppression, 'reasoned-cast': reasonedCast },
};
