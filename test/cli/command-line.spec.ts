import { readSettings } from '#libs/config/settings.js';
import { runCommandLine } from '#src/cli/command-line.js';
import { COMMANDS } from '#src/cli/commands.js';

const KEY = ['apikey', 'create', '--tenant', 'acme', '--name', 'k'];
const TENANT = ['tenant', 'create', '--slug', 'acme', '--name', 'Acme', '--plan', 'free'];
const ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

function run(argv: string[]) {
  return runCommandLine(argv, {
    settings: () => {
      throw new Error('The settings were read although the command line is invalid.');
    },
  });
}

function replaced(argv: string[], option: string, value: string): string[] {
  return argv.map((word, i) => (argv[i - 1] === option ? value : word));
}

describe('an invalid command line is refused with one line and exit code 2 before anything is opened', () => {
  test.each<[string, string[], RegExp]>([
    ['no command', [], /No command was given/],
    ['only an option', ['--json'], /No command was given/],
    ['an unknown command', ['tenant', 'destroy'], /no command "tenant destroy"/],
    [
      'an incomplete command',
      ['tenant'],
      /Incomplete command; choose one of: tenant create, tenant list, tenant set-plan/,
    ],
    ['a word too many', ['tenant', 'list', 'all'], /does not take "all"/],
    ['an unknown option', [...TENANT, '--colour', 'red'], /does not take "--colour"/],
    ['the name of a property of every object', [...TENANT, '--toString', 'x'], /does not take "--toString"/],
    ['an option of one letter', ['tenant', 'list', '-x'], /does not take "-x"/],
    ['a negated option', ['tenant', 'list', '--no-json'], /does not take "--no-json"/],
    ['an option given twice', [...TENANT, '--slug', 'other'], /--slug is given twice/],
    ['an option without value at the end', ['tenant', 'create', '--slug'], /--slug needs a value/],
    ['an option without value', ['tenant', 'create', '--slug', '--name', 'x'], /--slug needs a value/],
    ['a switch with a value', ['docs', '--check=yes'], /--check does not take a value/],
    ['options that are missing', ['tenant', 'create'], /needs --slug SLUG, --name NAME, --plan free\|starter/],
    ['an upper-case slug', replaced(TENANT, '--slug', 'Acme'), /--slug must be/],
    ['a slug that begins with a hyphen', [...TENANT.slice(0, 2), '--slug=-a', ...TENANT.slice(4)], /--slug must be/],
    ['a slug that ends with a hyphen', replaced(TENANT, '--slug', 'a-'), /--slug must be/],
    ['a slug of 64 characters', replaced(TENANT, '--slug', 'a'.repeat(64)), /--slug must be/],
    ['an empty slug', replaced(TENANT, '--slug', ''), /--slug must be/],
    ['an empty name', replaced(TENANT, '--name', '  '), /--name must be/],
    ['a name of 201 characters', replaced(TENANT, '--name', 'a'.repeat(201)), /--name must be/],
    ['a name with a line feed', replaced(TENANT, '--name', 'a\nb'), /--name must be/],
    [
      'an unknown plan',
      replaced(TENANT, '--plan', 'gold'),
      /--plan must be one of free, starter, business, enterprise/,
    ],
    [
      'the name of a property of every object as plan',
      replaced(TENANT, '--plan', 'constructor'),
      /--plan must be one of/,
    ],
    ['an e-mail address without @', [...TENANT, '--owner', 'nobody'], /--owner must be an e-mail address/],
    ['an e-mail address without a dot', [...TENANT, '--owner', 'a@b'], /--owner must be an e-mail address/],
    ['an e-mail address with two @', [...TENANT, '--owner', 'a@@b.co'], /--owner must be an e-mail address/],
    ['an e-mail address with a space', [...TENANT, '--owner', 'a b@c.de'], /--owner must be an e-mail address/],
    ['an e-mail address with dots in a row', [...TENANT, '--owner', 'a@b..co'], /--owner must be an e-mail address/],
    ['a limit of 0', [...TENANT, '--reads-per-minute', '0'], /--reads-per-minute must be a whole number/],
    ['a limit with a fraction', [...TENANT, '--writes-per-minute', '1.5'], /--writes-per-minute must be a whole/],
    ['an unknown scope', [...KEY, '--scopes', 'deals:read,deals:burn'], /Unknown scope "deals:burn"/],
    ['no scope', [...KEY, '--scopes', ','], /--scopes needs at least one scope/],
    ['a past expiry', [...KEY, '--scopes', '*', '--expires-at', '2020-01-01T00:00:00Z'], /must be in the future/],
    [
      'an expiry on an invalid date',
      [...KEY, '--scopes', '*', '--expires-at', '2031-02-30T00:00:00Z'],
      /must be an instant/,
    ],
    ['an expiry without zone', [...KEY, '--scopes', '*', '--expires-at', '2031-01-01T00:00:00'], /must be an instant/],
    ['an invalid network', [...KEY, '--scopes', '*', '--allow-cidr', '10.0.0.0/33'], /must be networks/],
    ['an address for a network', [...KEY, '--scopes', '*', '--allow-cidr', '10.0.0.1'], /must be networks/],
    ['a malformed id', ['apikey', 'revoke', '--tenant', 'acme', '--id', '1'], /--id must be an id/],
    [
      'an overlap that is too long',
      ['apikey', 'rotate', '--tenant', 'acme', '--id', ID, '--overlap-seconds', '2592001'],
      /--overlap-seconds must be a whole number from 0 to 604800/,
    ],
    ['no deals', ['seed', '--tenant', 'acme', '--deals', '0'], /--deals must be a whole number/],
    ['writing and checking', ['openapi', '--write', '--check'], /either --check or --write/],
    ['help on an unknown command', ['help', 'me'], /no command "me"/],
  ])('%s', async (_case, argv, line) => {
    const ended = await run(argv);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toMatch(line);
    expect(ended.stderr).toMatch(/^[^\n]+\n$/);
  });

  test('the operator’s input cannot break the line or send control codes to the terminal', async () => {
    const { stderr } = await run(replaced(TENANT, '--slug', 'a\n\u001b[2Jb'));
    expect(stderr).toMatch(/^[^\p{Cc}]+\n$/u);
  });
});

describe('help', () => {
  test.each([[['help']], [['--help']], [['-h']]])('%p lists every command', async (argv) => {
    const { exitCode, stdout } = await run(argv);
    expect(exitCode).toBe(0);
    for (const { name } of COMMANDS) expect(stdout).toContain(`\n${name}`);
  });

  test.each([
    [['help', 'tenant', 'create']],
    [['tenant', 'create', '--help']],
    [['tenant', 'create', '--slug', 'x', '-h']],
  ])('%p explains one command and runs nothing', async (argv) => {
    const { exitCode, stdout } = await run(argv);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('--writes-per-minute');
    expect(stdout).not.toContain('apikey');
  });

  test('with --json it is printed as JSON', async () => {
    const { stdout } = await run(['help', '--json']);
    expect(JSON.parse(stdout)).toHaveLength(COMMANDS.length);
  });
});

test('invalid settings result in one line and exit code 1', async () => {
  const settings = () => readSettings({ PORT: 'many', HOST: '127.0.0.1' });
  const ended = await runCommandLine(['--json', 'tenant', 'list'], { settings });
  expect(ended).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'PORT must be a whole number from 0 to 65535, not "many"\n',
  });
});
