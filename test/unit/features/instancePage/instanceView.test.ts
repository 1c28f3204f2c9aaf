import assert from 'node:assert/strict';
import { instanceView, type PageFacts } from '../../../../src/features/instancePage/instanceView';
import type { Instance } from '../../../../src/model/instances/instance';
import { beginStartWatch } from '../../../../src/model/rentals/startWatch';
import { toPage } from '../../../../src/webview/report/protocol';
import { anInstance } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 12);
const hour = 3_600_000;

function page(change: Partial<Instance> = {}, facts: Partial<PageFacts> = {}) {
  const nothing = {
    facts: {},
    now,
    notes: [],
    isUsed: false,
    hasEnd: false,
    history: [],
    gpus: [],
    isReadingGpus: false,
    services: [],
    access: [],
    work: [],
  };
  return instanceView(anInstance(change), { ...nothing, ...facts });
}
const first = (view: ReturnType<typeof page>) => view.notices[0];
const labels = (view: ReturnType<typeof page>) => view.buttons.map(({ label }) => label);
const tile = (view: ReturnType<typeof page>, name: string) =>
  view.tiles.find(({ label }) => label === name)?.value;
const section = (view: ReturnType<typeof page>, wanted: string) =>
  view.sections.find(({ id }) => id === wanted);
const rows = (view: ReturnType<typeof page>, wanted: string) =>
  (section(view, wanted)?.table.rows ?? []).map(({ cells }) => cells.map(({ text }) => text).join(': '));
const status = (view: ReturnType<typeof page>) => rows(view, 'status');

const stopped: Partial<Instance> = { actualStatus: 'exited', intendedStatus: 'stopped' };

describe('the text of the page of an instance', () => {
  it('while it runs: the state, since when, what it costs, and that nothing ends it', () => {
    const view = page({}, { facts: { runningAt: now - 2 * hour }, creditLasts: '30 h' });
    assert.equal(first(view)?.text, 'training is running and costs $0.400/h.');
    assert.equal(tile(view, 'State'), 'Running');
    assert.equal(tile(view, 'For'), '2 h');
    assert.equal(tile(view, 'Price now'), '$0.400/h');
    assert.match(tile(view, 'Cost so far') ?? '', /^≤ \$0\.4\d$/);
    assert.equal(tile(view, 'Credit lasts'), '30 h');
    assert.deepEqual(status(view), ['Schedule: none: you are charged until you stop or destroy it']);
    assert.deepEqual(status(page({}, { hasEnd: true, isUsed: true })), [
      'In use: by windows, terminals, ports or work of this computer',
    ]);
  });

  it('offers what the state allows, in the order of its use', () => {
    const running = page();
    const another = 'Rent Another Like This…';
    const daily = ['Connect', 'Open Terminal', 'Upload…', 'Stop…', 'Destroy…', another];
    assert.deepEqual(labels(running), daily);
    assert.deepEqual(
      running.buttons.filter(({ primary }) => primary).map(({ label }) => label),
      ['Connect'],
    );
    const still = page(stopped);
    assert.deepEqual(labels(still), ['Start…', 'Destroy…', another]);
    assert.deepEqual(labels(page({ runtype: 'args' })), ['Stop…', 'Destroy…', another]);
    assert.ok(!labels(page({ ...stopped, endsAt: now / 1000 - 60 })).includes('Start…'));
  });

  it('offers the rest in the part that it belongs to', () => {
    const view = page({ isInterruptible: true });
    const buttons = (id: string) => (section(view, id)?.buttons ?? []).map(({ label }) => label);
    assert.deepEqual(buttons('status'), ['End Later…']);
    assert.deepEqual(buttons('machine'), ['Read from Machine', 'Check Machine', 'Report Machine…']);
    assert.deepEqual(buttons('configuration'), ['Change Bid…', 'Take Snapshot…', 'Show as JSON']);
    const outbid = page({ ...stopped, isInterruptible: true }, { facts: { readyAt: now - hour } });
    assert.equal(first(outbid)?.buttons[0]?.label, 'Change Bid…');
    assert.deepEqual(
      view.output?.buttons.map(({ label }) => label),
      ['Show Log of Instance'],
    );
    const still = section(page(stopped), 'machine');
    assert.deepEqual(
      still?.buttons?.map(({ label }) => label),
      ['Report Machine…'],
    );
  });

  it('shows why there is no way in where the image runs without SSH', () => {
    assert.ok(status(page({ runtype: 'args' })).some((row) => row.includes("You can't log in")));
  });

  it('shows what matters in each state', () => {
    const said = (change: Partial<Instance>, facts: Partial<PageFacts> = {}) => {
      const notice = first(page(change, facts));
      return `${notice?.severity ?? ''}: ${notice?.text ?? ''}`;
    };
    assert.equal(said({ actualStatus: null }), 'info: training is starting and costs $0.400/h.');
    assert.equal(said(stopped), 'info: training is stopped. Storage still costs $0.120/day.');
    assert.equal(
      said({ actualStatus: 'exited', statusMessage: 'no such image' }),
      'error: training will not get ready: its container ended. The host says: no such image. The image does not exist or needs a login: check its name and tag.',
    );
    assert.match(
      said({ actualStatus: 'offline' }, { facts: { readyAt: now - hour } }),
      /^warning: The host of training is disconnected\. Its data may come back/,
    );
    assert.match(
      said({ ...stopped, isInterruptible: true }, { facts: { readyAt: now - hour } }),
      /^warning: training was outbid and is paused/,
    );
    assert.equal(
      said({ actualStatus: 'frozen' }),
      'warning: training is frozen. Its GPU is kept, and it costs $0.400/h.',
    );
    assert.equal(said({ actualStatus: 'odd' }), 'info: training: State "odd"');
  });

  it('shows how long a start lasts, and that it was not ready in time', () => {
    const watch = beginStartWatch(5001, 'rent', now - 180_000);
    const view = page({ actualStatus: 'loading', statusMessage: 'pulling' }, { watch });
    assert.equal(tile(view, 'For'), '3 min');
    assert.ok(status(view).includes('Host says: pulling'));
    const late = page({ actualStatus: 'loading' }, { watch: { ...watch, failed: 'timedOut' } });
    assert.equal(first(late)?.severity, 'error');
    assert.match(first(late)?.text ?? '', /did not get ready in time/);
  });

  it('offers another machine for one that failed', () => {
    const { buttons } = first(page({ actualStatus: 'gaveUp', currentState: 'stopped' })) ?? {};
    assert.deepEqual(buttons, []);
    const failed = first(page({ actualStatus: 'exited' }));
    assert.deepEqual(
      failed?.buttons.map(({ id }) => id),
      ['gpuRental.instance.replaceFailed'],
    );
  });

  it('shows the notes of features, with the warnings at the top', () => {
    const notes = [
      { row: '', lines: () => [['Rental ends', 'in 3 h'] as const] },
      { row: 'failed', isWarning: true, lines: () => [['Check 5 min ago', '1 of 2 GPUs answer'] as const] },
      { row: 'GPU 40 %', isFigure: true as const, lines: () => [['GPU, last hour', '▁▂'] as const] },
    ];
    const view = page({}, { notes, hasEnd: true });
    assert.equal(view.notices[1]?.text, 'Check 5 min ago: 1 of 2 GPUs answer');
    assert.deepEqual(status(view), ['Rental ends: in 3 h']);
  });

  it('shows what a job does with the instance, and then not that nothing ends it', () => {
    const work = [
      { id: 'a', name: 'train', state: 'running', ends: 'stop it' },
      { id: 'b', name: 'eval', state: 'running' },
    ];
    assert.deepEqual(status(page({}, { work })), ['When train ends: stop it']);
  });

  it('draws the last hour as lines with their table, once there are two readings', () => {
    const reading = (minutes: number, gpu: number) => ({ at: now - minutes * 60_000, gpu, memory: 20 });
    assert.equal(section(page({}, { history: [reading(5, 40)] }), 'use'), undefined);
    const use = section(page({}, { history: [reading(10, 40), reading(1, 80)] }), 'use');
    assert.ok(use?.chart?.kind === 'lines');
    assert.deepEqual(
      use.chart.series.map(({ name, values }) => [name, values.filter((value) => value !== null)]),
      [
        ['GPU', [40, 80]],
        ['RAM', [20, 20]],
      ],
    );
    assert.deepEqual(
      use.table.rows.map(({ cells }) => cells.slice(1).map(({ text }) => text)),
      [
        ['40 %', '20 %'],
        ['80 %', '20 %'],
      ],
    );
  });

  it('names the parts of the machine, each GPU as it proved to be, and no old figures of a stopped one', () => {
    const parts = { gpuCount: 2, gpuRamMb: 24_564, gpuUtilPercent: 43, gpuTemperature: 61, cpuCores: 16 };
    const gpu = { name: 'NVIDIA GeForce RTX 4090', memoryMb: 24_564 };
    const proof = { at: now, kind: 'nvidia', gpus: [gpu, gpu], mig: false, faults: [], disk: {} } as const;
    const running = rows(page(parts, { proof }), 'machine');
    assert.deepEqual(running, [
      'GPU: 2× RTX 4090 · 24 GB · 43 % in use · 61 °C',
      'GPU 0: NVIDIA GeForce RTX 4090 · 24 GB',
      'GPU 1: NVIDIA GeForce RTX 4090 · 24 GB',
      'CPU cores: 16',
    ]);
    const old = ['GPU: 2× RTX 4090 · 24 GB', 'CPU cores: 16'];
    assert.deepEqual(rows(page({ ...parts, ...stopped }, { proof }), 'machine'), old);
    assert.deepEqual(rows(page({ ...parts, actualStatus: 'offline' }, { proof }), 'machine'), old);
  });

  it('shows each GPU by itself, as the machine reported it since its start', () => {
    const gpu = (index: number) => ({
      index,
      percent: 90 + index,
      usedMb: 4096,
      memoryMb: 24_564,
      celsius: 61,
    });
    const gpus = [{ at: now, gpus: [{ ...gpu(0), watts: 310.4, limitWatts: 450 }, gpu(1)] }];
    const view = page({ gpuCount: 2 }, { gpus, facts: { runningAt: now - hour } });
    assert.deepEqual(rows(view, 'gpus'), [
      'GPU 0: 90 %: 4 / 24 GB: 61 °C: 310 / 450 W',
      'GPU 1: 91 %: 4 / 24 GB: 61 °C: –',
    ]);
    const cells = section(view, 'gpus')?.table.rows[0]?.cells ?? [];
    assert.deepEqual(
      cells.map(({ share }) => share && Math.round(share * 100)),
      [undefined, 90, 17, undefined, 69],
    );
    assert.match(section(view, 'gpus')?.table.caption ?? '', /^As read from the machine at /);
    assert.equal(section(page({}, { gpus, facts: { runningAt: now + hour } }), 'gpus'), undefined);
    assert.equal(section(page(stopped, { gpus }), 'gpus'), undefined);
    assert.equal(section(view, 'gpuLines'), undefined, 'one reading is no line');
  });

  it('draws each GPU as a line with its table while it is read, and offers to stop that', () => {
    const gpus = [60, 70].map((percent, index) => ({
      at: now - 5_000 * (1 - index),
      gpus: [{ index: 0, percent }, { index: 1 }],
    }));
    const view = page({ gpuCount: 2 }, { gpus, isReadingGpus: true, facts: { runningAt: now - hour } });
    const lines = section(view, 'gpuLines');
    assert.ok(lines?.chart?.kind === 'lines');
    assert.deepEqual(lines.chart.series, [{ name: 'GPU 0', values: [60, 70] }]);
    assert.equal(new Set(lines.chart.categories).size, 2);
    assert.deepEqual(
      rows(view, 'gpuLines').map((row) => row.replace(/^.*: /, '')),
      ['60 %', '70 %'],
    );
    assert.deepEqual(
      section(view, 'gpus')?.buttons?.map(({ label }) => label),
      ['Stop Reading'],
    );
  });

  it('lists the work and the ports, with what a click on them does', () => {
    const work = [{ id: 'j', name: 'train', state: 'Running', action: 'Show Log of Job' }];
    const services = [{ id: 'p', name: 'Port 8080/tcp', state: '1.2.3.4:40000, public' }];
    const view = page({}, { work, services });
    assert.deepEqual(rows(view, 'work'), ['train: Running']);
    assert.equal(section(view, 'work')?.table.rows[0]?.action, 'Show Log of Job');
    assert.deepEqual(rows(view, 'services'), ['Port 8080/tcp: 1.2.3.4:40000, public']);
    assert.equal(section(page(), 'work'), undefined);
  });

  it('shows how it was rented, without what may be secret', () => {
    const secret = 'planted-secret';
    const view = page({ env: [['TOKEN', secret]], onstart: secret, args: [secret], image: 'ubuntu' });
    const shown = rows(view, 'configuration');
    assert.ok(shown.includes('Image: ubuntu') && shown.includes('Environment: TOKEN'));
    assert.ok(shown.includes('On-start script: Yes'));
    const runtypes = ['ssh ssh_direc ssh_proxy', 'jupyter ssh_proxy', 'args', 'odd\nword'].map((runtype) =>
      rows(page({ runtype }), 'configuration').find((row) => row.startsWith('Run type')),
    );
    assert.deepEqual(runtypes, [
      'Run type: SSH, direct',
      'Run type: Jupyter and SSH, through the service',
      'Run type: The image as it is, without SSH',
      'Run type: odd word',
    ]);
    assert.doesNotMatch(JSON.stringify(view), new RegExp(secret));
  });

  it('is of the form that the page draws, with hostile words in one line', () => {
    const hostile = '<img src=x>\n[link](command:x)';
    const view = page({ label: hostile, statusMessage: hostile, gpuName: hostile, location: hostile });
    const sent = toPage.parse({
      type: 'show',
      view: {
        title: hostile,
        busy: false,
        filters: [],
        ...view,
        words: { loading: '', showTable: '', savePicture: '', median: '', sortHint: '' },
      },
    });
    assert.doesNotMatch(
      sent.view.subtitle + sent.view.notices.map(({ text }) => text).join(''),
      /\n|\]\(command/,
    );
  });
});
