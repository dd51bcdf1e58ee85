import tseslint from 'typescript-eslint';
import { projectRules } from './eslint.rules.mjs';

/** Where connections, migrations and the schemas of other libraries live. Everything else reaches data through `Database`. */
const DATABASE_FILES = ['libs/database/**', 'libs/tenancy/**', 'src/database/**', 'src/platform/**', 'ormconfig.ts'];
/** Servers and queues with connections of their own, which never carry a tenant's rows. */
const OWN_CONNECTIONS = ['libs/queue/**', 'libs/embedded/**', 'src/start/**', 'bench/**'];
/** Put together SQL from names, never from values: table helpers of migrations, guards, the generator of the resource kit. */
const SQL_AUTHORS = [
  'libs/database/**',
  'src/database/**',
  'libs/access/guard.ts',
  'libs/resource/lists/table.ts',
  'libs/queue/**',
];
/** Read the environment: the settings themselves, and what runs before there are any. */
const ENVIRONMENT_READERS = [
  'libs/config/**',
  'libs/embedded/**',
  'src/start/**',
  'src/**/main.ts',
  'ormconfig.ts',
  'bench/**',
];
/** Remember what is not in the database, or what they read outside of transactions. */
const OTHER_MEMORIES = [
  'libs/ai/kinds/check.ts',
  'libs/auth/credentials.ts',
  'libs/http/rate-limit/**',
  'libs/outbound/**',
  'libs/proof/signing-keys.ts',
  'libs/resource/records/number-series.ts',
  'libs/webhooks/**',
  'src/areas/assurance/audit-logs/**',
];
/** Cut ids, hashes, statements and other ASCII, whose characters are single units. */
const ASCII_CUTTERS = [
  'libs/database/flights/flight-span.ts',
  'libs/resource/access/record-sights.ts',
  'libs/telemetry/traceparent.ts',
  'libs/webhooks/sending/signature.ts',
  'src/areas/vault/secrets/secret-values.service.ts',
];
const TESTS = ['**/*.spec.ts', 'test/**/*.ts', 'libs/testing/**'];

const IMPORTS = {
  nest: {
    name: '@nestjs/common',
    importNames: ['forwardRef', 'MiddlewareConsumer', 'NestMiddleware', 'Scope'],
    message:
      'No cycles (forwardRef), nothing request-scoped (Scope: there is the TenantScope), no middleware: on Fastify it can be bypassed, so use hooks and global guards.',
  },
  typeorm: {
    name: 'typeorm',
    importNames: ['DataSource', 'EntityManager', 'Repository', 'QueryRunner'],
    message: 'Data is reached through Database (libs/database), which names the tenant in every transaction.',
    allowTypeImports: true,
  },
  memory: {
    name: 'lru-cache',
    message:
      'What a process remembers of the database is kept by Memory (libs/database/memory.ts), which keeps nothing of a transaction that has not committed.',
  },
  pg: { name: 'pg', message: 'Connections belong to libs/database.', allowTypeImports: true },
};

const SYNTAX = {
  barrels: { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that declares the name.' },
  finders: {
    selector: 'CallExpression[callee.property.name=/^(findOneBy|findOneByOrFail|findBy)$/]',
    message: 'TypeORM drops conditions whose value is undefined and answers with any row. Write the query.',
  },
  environment: {
    selector: 'MemberExpression[object.name="process"][property.name="env"]',
    message: 'Settings are read once and validated, by libs/config.',
  },
  address: {
    selector:
      'MemberExpression[object.name=/^(request|req|caller)$/][property.name=/^ips?$/], ObjectPattern[typeAnnotation.typeAnnotation.typeName.name="FastifyRequest"] > Property[key.name=/^ips?$/], VariableDeclarator[init.name=/^(request|req|caller)$/] > ObjectPattern > Property[key.name=/^ips?$/], Decorator[expression.callee.name="Ip"]',
    message: 'The address of the client is `scope.clientIp`: without port and brackets, in its one spelling.',
  },
  sql: {
    selector:
      'CallExpression[callee.property.name="query"] > TemplateLiteral.arguments:first-child[expressions.length>0], CallExpression[callee.name="statement"] > TemplateLiteral.arguments:first-child[expressions.length>0]',
    message:
      'Values are parameters ($1), and constant parts belong into the constant. Only libs/resource/lists/table.ts composes SQL.',
  },
  sleep: {
    selector:
      'NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"], CallExpression[callee.name=/^(sleep|delay|wait)$/], ImportDeclaration[source.value=/timers\\u002Fpromises$/] ImportSpecifier[imported.name="setTimeout"]',
    message: 'Wait for a condition or move the clock: a sleep is too long on a good day and too short on a bad one.',
  },
};

const imports = (...names) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { paths: names.map((name) => IMPORTS[name]) }],
});
const syntax = (...names) => ({ 'no-restricted-syntax': ['error', ...names.map((name) => SYNTAX[name])] });

const NODE_GLOBALS = Object.fromEntries(
  [
    'process',
    'console',
    'URLSearchParams',
    'Buffer',
    'URL',
    'fetch',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'AbortSignal',
    'AbortController',
    'globalThis',
    'structuredClone',
    'performance',
  ].map((name) => [name, 'readonly']),
);

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      '.data/**',
      '.cache/**',
      'coverage/**',
      'docs/**',
      'openapi/**',
      'receiver/*.d.ts',
    ],
  },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { project: projectRules, '@typescript-eslint': tseslint.plugin },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...imports('nest', 'typeorm', 'pg', 'memory'),
      ...syntax('barrels', 'finders', 'environment', 'address', 'sql'),
      'project/reasoned-suppression': 'error',
      'project/reasoned-cast': 'error',
      'project/oldest-postgres': 'error',
      'project/whole-characters': 'error',
      // Files with decorators are left alone by the rule: there an import of a class is its injection token.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-empty-object-type': ['error', { allowWithName: '^PlainResources$' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/prefer-optional-chain': 'error',
      '@typescript-eslint/prefer-string-starts-ends-with': 'error',
      '@typescript-eslint/require-await': 'off', // a method can be async because its interface is
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowNever: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  { files: ASCII_CUTTERS, rules: { 'project/whole-characters': 'off' } },
  { files: OTHER_MEMORIES, rules: imports('nest', 'typeorm', 'pg') },
  { files: DATABASE_FILES, rules: imports('nest') },
  { files: OWN_CONNECTIONS, rules: imports('nest', 'typeorm') },
  { files: SQL_AUTHORS, rules: syntax('barrels', 'finders', 'environment', 'address') },
  { files: ENVIRONMENT_READERS, rules: syntax('barrels', 'finders', 'address', 'sql') },
  {
    files: TESTS,
    rules: {
      ...imports('nest'),
      ...syntax('barrels', 'finders', 'sleep'),
      // What a test reads from JSON is checked by what it expects of it.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'project/whole-characters': 'off', // tests cut their own texts
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: NODE_GLOBALS },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'project/reasoned-suppression': 'error',
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { module: 'writable', require: 'readonly', __dirname: 'readonly' },
    },
  },
);
