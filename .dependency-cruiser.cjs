// Who may import whom. `npm run imports` has to find nothing.

/** Folders of libs/, lowest first. One may import those above it in this list, never its neighbours on the same line. */
const LAYERS = [
  ['kernel'],
  ['threads'],
  ['config', 'metrics', 'pdf', 'scim-language', 'tables', 'telemetry', 'templates'],
  ['tenancy'],
  ['database'],
  ['audit', 'embedded', 'outbound', 'outbox', 'queue', 'sealing', 'worker'],
  ['auth', 'files', 'proof'],
  ['access', 'ai', 'request-counts'],
  ['automation', 'http'],
  ['lines', 'maintenance', 'settings'],
  ['resource', 'webhooks'],
  ['checklists', 'jobs', 'measures', 'steps'],
  ['members', 'tenants'],
  ['mail'],
  ['notifications'],
];
const TEST = '\\.spec\\.ts$|^test/|^libs/testing/';
const ENTRY_POINTS = '^src/[^/]+/main\\.ts$|^src/database/migrations/|^ormconfig\\.ts$';

const folders = (names) => `^libs/(${names.join('|')})/`;

const layerRules = LAYERS.map((layer, rank) => ({
  name: `layer-${layer.join('-')}`,
  comment:
    'Lower may not import higher: kernel < config < tenancy < database < audit, outbox ... < auth, proof < access < automation, http < lines < resource, webhooks < checklists, jobs, steps < members, tenants < mail < notifications.',
  severity: 'error',
  from: { path: `^libs/(${layer.join('|')})/`, pathNot: TEST },
  to: { path: '^libs/', pathNot: [folders(LAYERS.slice(0, rank).flat().concat('$^')), '^libs/$1/'] },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Neither of two files that need each other can be understood, tested or moved alone.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...layerRules,
    {
      name: 'every-lib-has-a-layer',
      comment: 'A new folder of libs/ needs a place in LAYERS.',
      severity: 'error',
      from: { path: '^(libs|src)/', pathNot: TEST },
      to: { path: '^libs/', pathNot: folders(LAYERS.flat()) },
    },
    {
      name: 'libs-know-no-app',
      comment: 'libs/ is below src/.',
      severity: 'error',
      from: { path: '^libs/', pathNot: TEST },
      to: { path: '^(src|test|bench)/' },
    },
    {
      name: 'areas-know-no-process',
      comment: 'An area runs in whatever process composes it.',
      severity: 'error',
      from: { path: '^src/areas/', pathNot: TEST },
      to: { path: '^src/', pathNot: '^src/areas/' },
    },
    {
      name: 'areas-meet-at-services',
      comment:
        'One area reaches another only through its public services, which a records module provides, what its `.area.ts` offers, or by listening to its events.',
      severity: 'error',
      from: { path: '^src/areas/([^/]+)/', pathNot: TEST },
      to: {
        path: '^src/areas/[^/]+/',
        pathNot: ['^src/areas/$1/', '\\.service\\.ts$', '-records\\.module\\.ts$', '\\.area\\.ts$'],
      },
    },
    {
      name: 'worker-serves-no-http',
      comment:
        'The worker is made of job handlers; a controller in it would be a second, unguarded API. A manifest names the modules that it loads.',
      severity: 'error',
      from: { path: '-(records|worker|metrics)\\.module\\.ts$' },
      to: { path: '\\.controller\\.ts$', reachable: true },
    },
    {
      name: 'processes-are-apart',
      comment: 'API and worker are started, scaled and replaced on their own.',
      severity: 'error',
      from: { path: '^src/(api|worker)/' },
      to: { path: '^src/(api|worker|cli|start)/', pathNot: '^src/$1/' },
    },
    {
      name: 'platform-is-below-the-processes',
      comment: 'What all processes share knows none of them.',
      severity: 'error',
      from: { path: '^src/(platform|database)/', pathNot: TEST },
      to: { path: '^src/', pathNot: '^src/(platform|database|areas/entities\\.ts$)' },
    },
    {
      name: 'tests-stay-out',
      comment: 'Nothing that runs in production imports a test or its tools.',
      severity: 'error',
      from: { path: '^(src|libs)/', pathNot: TEST },
      to: { path: TEST },
    },
    {
      name: 'no-development-packages',
      comment: 'The package is not installed in production.',
      severity: 'error',
      from: { path: '^(src|libs)/', pathNot: TEST },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'declared-packages',
      comment: 'The package is there only because another one brought it along.',
      severity: 'error',
      from: { path: '^(src|libs|test)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/@jest/globals/' },
    },
    {
      name: 'nothing-unused',
      comment: 'No process can reach the file.',
      severity: 'error',
      from: { path: ENTRY_POINTS },
      to: { path: '^(src|libs)/', pathNot: [TEST, ENTRY_POINTS, '\\.d\\.ts$'], reachable: false },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.data)/' },
    tsPreCompilationDeps: true,
    webpackConfig: { fileName: '.dependency-resolution.cjs' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
