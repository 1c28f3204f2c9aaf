/**
 * The rules of two engines for their files, as code: allowed keys, types and patterns. Sources: skypilot-org/skypilot
 * (2026), sky/utils/schemas.py, sky/skylet/constants.py, sky/clouds/vast.py; dstackai/dstack 511c318,
 * src/dstack/_internal/core/models/{configurations,profiles,resources,envs,files}.py and core/services/__init__.py.
 */
type Check = (value: unknown, at: string) => string[];

const fails = (at: string, what: string) => [`${at}: ${what}`];
const matches =
  (pattern: RegExp): Check =>
  (value, at) =>
    typeof value === 'string' && pattern.test(value)
      ? []
      : fails(at, `${JSON.stringify(value)} is not ${pattern}`);
const text: Check = (value, at) => (typeof value === 'string' ? [] : fails(at, 'not a string'));
const isTrue: Check = (value, at) => (value === true ? [] : fails(at, 'not true'));
const above0: Check = (value, at) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? [] : fails(at, 'not above 0');
const whole =
  (least: number, most = Number.MAX_SAFE_INTEGER): Check =>
  (value, at) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? []
      : fails(at, `not a whole number from ${least} to ${most}`);
const equals =
  (...wanted: readonly unknown[]): Check =>
  (value, at) =>
    wanted.includes(value) ? [] : fails(at, `${String(value)} is none of ${wanted.join(', ')}`);
const list =
  (check: Check, least = 1): Check =>
  (value, at) =>
    Array.isArray(value) && value.length >= least
      ? value.flatMap((one, index) => check(one, `${at}.${index}`))
      : fails(at, 'not a list');
const either =
  (...checks: readonly Check[]): Check =>
  (value, at) =>
    checks.some((check) => check(value, at).length === 0) ? [] : (checks[0]?.(value, at) ?? []);
const map =
  (names: RegExp, check: Check): Check =>
  (value, at) =>
    isMap(value)
      ? Object.entries(value).flatMap(([name, one]) => [
          ...(names.test(name) ? [] : fails(at, `${JSON.stringify(name)} is no name`)),
          ...check(one, `${at}.${name}`),
        ])
      : fails(at, 'not a map');
const fields =
  (known: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, at) =>
    isMap(value)
      ? [
          ...Object.entries(value).flatMap(([name, one]) =>
            Object.hasOwn(known, name)
              ? (known[name]?.(one, `${at}.${name}`) ?? [])
              : fails(at, `unknown key ${JSON.stringify(name)}`),
          ),
          ...required
            .filter((name) => !Object.hasOwn(value, name))
            .flatMap((name) => fails(at, `no ${name}`)),
        ]
      : fails(at, 'not a map');

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const variable = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const skypilot = fields(
  {
    name: matches(/^[a-zA-Z]([-_.a-zA-Z0-9]{0,118}[a-zA-Z0-9])?$/),
    workdir: text,
    resources: fields(
      {
        // One cloud without zones, and nothing that it lacks.
        infra: equals('vast'),
        accelerators: either(
          matches(/^[A-Za-z][A-Za-z0-9.-]*:\d+$/),
          list(matches(/^[A-Za-z][A-Za-z0-9.-]*:\d+$/)),
        ),
        cpus: matches(/^\d+\+?$/),
        memory: matches(/^\d+\+?$/),
        disk_size: whole(1),
        image_id: matches(/^docker:./),
        use_spot: isTrue,
        max_hourly_cost: above0,
        ports: list(whole(1, 65_535)),
        autostop: fields({
          idle_minutes: whole(0),
          down: isTrue,
          wait_for: equals('jobs_and_ssh', 'jobs', 'none'),
        }),
        job_recovery: fields({
          strategy: equals('FAILOVER', 'EAGER_NEXT_REGION'),
          max_restarts_on_errors: whole(0),
        }),
      },
      ['infra', 'accelerators', 'disk_size', 'image_id', 'max_hourly_cost'],
    ),
    config: fields({ vast: fields({ datacenter_only: isTrue }) }),
    envs: map(variable, text),
    secrets: map(variable, equals(null)),
    setup: text,
    run: text,
  },
  ['name', 'resources', 'run'],
);

const range = /^\d+(\.\.\d*)?$/;
const memory = /^\d+GB(\.\.(\d+GB)?)?$/;
const duration = matches(/^\d+[smhdw]$/);
const atLeast5Minutes: Check = (value, at) => [
  ...duration(value, at),
  ...(Number.parseInt(String(value)) >= 5 ? [] : fails(at, 'below 5 minutes')),
];
const common = {
  type: equals('task', 'dev-environment', 'service'),
  name: matches(/^[a-z][a-z0-9-]{1,40}$/),
  image: text,
  working_dir: matches(/^\//),
  repos: list(matches(/^(?:[A-Za-z]:)?[^:]+:[^:]+$/)),
  files: list(matches(/^(?:[A-Za-z]:)?[^:]+:[^:]+$/)),
  env: either(list(matches(/^([a-zA-Z_][a-zA-Z0-9_]*)(=[^\n]*)?$/)), map(variable, text)),
  resources: fields({
    cpu: matches(range),
    memory: matches(memory),
    gpu: fields({
      name: list(matches(/^[A-Za-z]/)),
      memory: matches(memory),
      count: either(whole(1), matches(range)),
    }),
    disk: matches(memory),
  }),
  backends: list(equals('vastai')),
  backend_options: list(
    fields({
      type: equals('vastai'),
      min_reliability: (value, at) =>
        typeof value === 'number' && value >= 0 && value <= 1 ? [] : fails(at, 'not from 0 to 1'),
    }),
  ),
  spot_policy: equals('spot'),
  max_price: above0,
  max_duration: duration,
  stop_duration: duration,
  retry: fields({ on_events: list(equals('no-capacity', 'interruption', 'error')), duration }),
  utilization_policy: fields({ min_gpu_utilization: whole(0, 100), time_window: atLeast5Minutes }),
} satisfies Readonly<Record<string, Check>>;
const required = ['type', 'name', 'image', 'resources', 'backends', 'max_price', 'max_duration'];
const scripts = { shell: equals('bash'), commands: list(text) };
const ports = list(whole(1, 65_535));
const dstack: Readonly<Record<string, Check>> = {
  task: fields({ ...common, ...scripts, ports }, [...required, 'commands']),
  service: fields({ ...common, ...scripts, port: whole(1, 65_535) }, [...required, 'commands', 'port']),
  'dev-environment': fields(
    { ...common, ide: equals('vscode'), init: list(text), ports, inactivity_duration: duration },
    [...required, 'ide'],
  ),
};

/** Returns how the value of a file breaks the rules of its engine. */
export function engineProblems(engine: 'skypilot' | 'dstack', value: unknown): readonly string[] {
  if (engine === 'skypilot') {
    return skypilot(value, 'task');
  }
  const kind = isMap(value) ? String(value['type']) : '';
  return dstack[kind]?.(value, kind) ?? fails('type', kind);
}
