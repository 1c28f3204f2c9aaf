import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { missingFiles, unsentNames } from '../../../src/jobs/machine/missingFiles';
import { setupKey } from '../../../src/jobs/machine/setupKey';
import type { JobRow } from '../../../src/jobs/model/job';
import type { JobMachine } from '../../../src/jobs/model/jobMachine';
import type { LeftOutput } from '../../../src/jobs/model/onMachine';
import { bringOutputs } from '../../../src/jobs/store/bringOutputs';
import { bringCheckpoint, checkpointNames, removeCheckpoint } from '../../../src/jobs/store/checkpoints';
import { hostFiles } from '../../../src/several/model/hostFiles';
import { writeHostFiles } from '../../../src/several/store/hostFolder';
import { chosenFiles, localTree, type LocalTree } from '../../../src/ssh/fileTree';
import { LocalFiles } from '../../../src/ssh/localFiles';
import { ProgramMissingError } from '../../../src/ssh/run';
import { findSentFiles, sentTree } from '../../../src/ssh/sentFiles';
import { reasons } from '../../../src/ssh/transfer';
import { upload } from '../../../src/ssh/upload';
import { systemClock } from '../../../src/util/clock';
import { silentLog } from '../../../src/util/log';
import { LeadsOutError, openPlace, readPlace, realPlace, type Place } from '../../../src/util/realPlace';
import { shellMachine } from '../../support/jobScene';
import { only } from '../../support/only';
import { useFolder } from '../../support/useFolder';

/** A home folder with private files, and in it the folder of a stranger, which the user opened. */
interface Scene {
  readonly base: string;
  readonly home: string;
  readonly workspace: string;
  /** The folder that the workspace file names: `a/b/c`. */
  readonly named: string;
}

const secret = 'private key of the user';
const job = { id: '0123456789abcdef' };

function newScene(folder: string): Scene {
  const base = realpathSync(mkdtempSync(join(folder, 'scene-')));
  const home = join(base, 'home');
  const workspace = join(home, 'Projekt José');
  const named = join(workspace, 'a', 'b', 'c');
  const others = ['Projekt Jose\u0301', 'PROJEKT JOSÉ', 'Projekt José-private', 'private/b/c', 'b/c', 'c'];
  for (const folder of [
    named,
    join(workspace, '.git/hooks/b/c'),
    ...others.map((name) => join(home, name)),
  ]) {
    mkdirSync(folder, { recursive: true });
    for (const name of ['train.py', 'requirements.txt', 'inventory.yml', '.gpurentalignore']) {
      writeFileSync(join(folder, name), folder === named ? 'own' : secret);
    }
  }
  writeFileSync(join(home, 'key'), secret);
  return { base, home, workspace, named };
}

/** Links to where nothing may be read or written, by what they are; each is made at a path. */
const shapes: Readonly<Record<string, (at: string, scene: Scene) => void>> = {
  'to a folder outside': (at, { home }) => symlinkSync(join(home, 'private'), at),
  'to a folder outside, relative': (at, { workspace }) => {
    const up = at
      .slice(workspace.length + 1)
      .split('/')
      .map(() => '..');
    symlinkSync([...up, 'private'].join('/'), at);
  },
  'to the home folder': (at, { home }) => symlinkSync(home, at),
  'to the folder above': (at, { base }) => symlinkSync(base, at),
  'to the root of the disk': (at) => symlinkSync('/', at),
  'to a file': (at, { home }) => symlinkSync(join(home, 'key'), at),
  'to itself': (at) => symlinkSync(at, at),
  'in a circle': (at) => {
    symlinkSync(`${at}2`, at);
    symlinkSync(at, `${at}2`);
  },
  'to nothing': (at, { home }) => symlinkSync(join(home, 'new'), at),
  'through another link': (at, { home, workspace }) => {
    symlinkSync(join(home, 'private'), join(workspace, 'hop'));
    symlinkSync(join(workspace, 'hop'), at);
  },
  'to a name on which programs act': (at, { workspace }) => symlinkSync(join(workspace, '.git', 'hooks'), at),
  'to a name that begins alike': (at, { home }) => symlinkSync(join(home, 'Projekt José-private'), at),
  'to another normal form': (at, { home }) => symlinkSync(join(home, 'Projekt Jose\u0301'), at),
  'to another case': (at, { home }) => symlinkSync(join(home, 'PROJEKT JOSÉ'), at),
};

/** Puts the link in the place of the named folder, or of one that holds it. */
const levels = [['a'], ['a', 'b'], ['a', 'b', 'c']];
function makeLink(scene: Scene, level: readonly string[], shape: string): void {
  const at = join(scene.workspace, ...level);
  renameSync(at, join(scene.base, 'moved'));
  shapes[shape]?.(at, scene);
}

/** All files outside of the workspace, and those of Git in it, with their content. */
function outside({ base, workspace }: Scene): readonly string[] {
  const isOutside = (path: string) =>
    !path.startsWith(`${workspace}/`) || path.startsWith(join(workspace, '.git'));
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => isOutside(path) && !path.startsWith(join(base, 'moved')))
    .map((path) => `${path}: ${readFileSync(path, 'utf8')}`)
    .sort();
}

const opened = (scene: Scene, path = scene.named): Place => ({ path, root: { opened: scene.workspace } });
const leadsOut = reasons.leadsOut.template;

async function contentOf(tree: Pick<LocalTree, 'files'>): Promise<string> {
  const texts = await Promise.all(
    tree.files.map(async (file) => {
      const handle = await openPlace(file, 'read').catch(() => undefined);
      const content = await handle?.readFile('utf8');
      await handle?.close();
      return content;
    }),
  );
  return texts.join('\n');
}

/** Writes what a machine gives, as a transfer does; `between` is called while it is on its way. */
async function fetchInto(into: Place, between: () => void): Promise<readonly LeftOutput[]> {
  const local = new LocalFiles(into);
  const content = Buffer.from('of a machine');
  for (const name of ['inventory.yml', 'new/file']) {
    const file = { name, size: content.length, modified: 1_700_000_000 };
    await local.makeFolder(dirname(name));
    await local.attempt(name, async () => {
      await local.write(
        file,
        await local.begun(file),
        (function* () {
          yield content.subarray(0, 4);
          between();
          yield content.subarray(4);
        })(),
        () => undefined,
      );
      await local.copy(`${name}.copy`, name, file.modified);
    });
  }
  return [...local.refused].map(([name, why]) => ({ name, why }));
}

const list = {
  files: [{ path: 'new/file', kind: 'file' as const, size: 12, modified: 1 }],
  leftOut: [],
  hash: '0123456789abcdef',
  areHashed: false,
};

function machineWith(between: () => void): JobMachine {
  const fetch: JobMachine['fetch'] = async (_, __, into) => {
    between();
    return { files: 1, bytes: 12, leftOut: await fetchInto(into, () => undefined) };
  };
  const given = { outputs: () => Promise.resolve(list), checkpoint: () => Promise.resolve(list), fetch };
  return given as Partial<JobMachine> as JobMachine;
}

function rowOf({ workspace, named: outputsTo }: Scene): JobRow {
  const spec = { outputs: ['**'], checkpoints: ['**'] };
  return {
    job: { ...job, workspace, outputsTo, spec, machine: {} },
    state: { trouble: { tries: 9 } },
  } as unknown as JobRow;
}

const deps = {
  log: silentLog,
  clock: systemClock,
  fleet: { find: () => undefined },
  jobs: {
    moves: { report: (_: string, __: string, run: (on: undefined) => Promise<unknown>) => run(undefined) },
  },
};
const never = new AbortController().signal;
const sync = { include: ['**'], exclude: [], git: false, maxMb: 1, maxFiles: 9 };
const specOf = { workdir: 'a/b/c', run: 'python train.py', setup: 'pip install -r requirements.txt' };

/**
 * Everything that a workspace file or an earlier choice lets us read or write, by its name. Each returns what it read and
 * what it left out; `between` makes the link after the first look.
 */
const uses: Readonly<Record<string, (scene: Scene, between: () => void) => Promise<unknown>>> = {
  workdir: async (scene, between) => {
    const run = (program: string) => {
      between();
      return Promise.reject(new ProgramMissingError(program, new Error('ENOENT')));
    };
    const { home, workspace } = scene;
    const { tree, leftOut } = await findSentFiles({ run, home }, workspace, { ...specOf, sync }, []);
    return [await contentOf(tree), leftOut];
  },
  'the names of a command': async ({ workspace }, between) => {
    between();
    const spec = { ...specOf, outputs: [] };
    return [
      await missingFiles(workspace, spec, { names: [] }),
      await unsentNames(workspace, spec, { names: [] }),
    ];
  },
  'the inputs of a set-up': async ({ workspace }, between) => {
    between();
    return setupKey(specOf, workspace, ['requirements.txt'], 'image');
  },
  'what was ordered': async (scene, between) => {
    between();
    return contentOf(await sentTree(opened(scene), ['train.py', 'requirements.txt']));
  },
  'what was ordered in a folder of it': async (scene, between) => {
    between();
    return contentOf(await sentTree(opened(scene, scene.workspace), ['a/b/c/train.py']));
  },
  'what is read after the look': async (scene, between) => {
    const tree = await sentTree(opened(scene), ['train.py', 'requirements.txt']);
    between();
    const read = await contentOf(tree);
    assert.equal(read, '\n');
    throw new LeadsOutError(opened(scene));
  },
  'the rules of a file': async (scene, between) => {
    between();
    return readPlace(opened(scene, join(scene.named, '.gpurentalignore')));
  },
  outputsTo: (scene, between) => {
    const machine = machineWith(between);
    return bringOutputs(only(deps), machine, rowOf(scene), 'attempt', never);
  },
  'outputs that are on their way': (scene, between) => fetchInto(opened(scene), between),
  'a folder in that of the outputs': (scene, between) => {
    between();
    return fetchInto({ path: scene.workspace, root: { opened: scene.workspace } }, () => undefined).then(
      async () => {
        const local = new LocalFiles({ path: scene.workspace, root: { opened: scene.workspace } });
        const file = { name: 'a/b/c/inventory.yml', size: 1, modified: 1 };
        await local.attempt(file.name, () => local.write(file, 0, [Buffer.from('x')], () => undefined));
        return [...local.refused.values()];
      },
    );
  },
  checkpoints: (scene, between) =>
    bringCheckpoint(deps, machineWith(between), rowOf(scene), 'attempt', never),
  'the names of a checkpoint': async (scene, between) => {
    between();
    return checkpointNames(rowOf(scene).job);
  },
  'a checkpoint that is over': async (scene, between) => {
    between();
    return removeCheckpoint(rowOf(scene).job);
  },
  'the files for other tools': async (scene, between) => {
    const folder = await realPlace(opened(scene));
    rmSync(join(folder, 'inventory.yml'));
    between();
    return writeHostFiles(folder, hostFiles([], ''), {}, () => Promise.resolve(true));
  },
  'a folder of the files for other tools': async (scene, between) => {
    const folder = await realPlace(opened(scene, scene.workspace));
    between();
    rmSync(join(folder, 'groups.d'), { force: true });
    symlinkSync('a/b/c', join(folder, 'groups.d'));
    return writeHostFiles(folder, hostFiles([], ''), {}, () => Promise.resolve(true));
  },
  'a download that is tried again': async (scene, between) => {
    between();
    return fetchInto({ path: scene.named, root: { chosen: scene.named } }, () => undefined);
  },
  'an upload that is tried again': async (scene, between) => {
    const chosen = await chosenFiles([scene.named]);
    between();
    return contentOf(await localTree(chosen));
  },
};
/** What is chosen or made here has its place before a link can be in it. */
const onlyLater = [
  'what is read after the look',
  'the files for other tools',
  'a download that is tried again',
  'an upload that is tried again',
];

describe('A link in a folder of a stranger', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  for (const [what, use] of Object.entries(uses)) {
    const moments = onlyLater.includes(what) ? ['later'] : ['before', 'later'];
    it(`leads to nothing that is read or written outside: ${what}`, async () => {
      for (const shape of Object.keys(shapes)) {
        for (const level of levels) {
          for (const moment of moments) {
            const scene = newScene(folder);
            const before = outside(scene);
            const link = () => {
              if (moment === 'later') {
                makeLink(scene, level, shape);
              }
            };
            if (moment === 'before') {
              makeLink(scene, level, shape);
            }
            const label = `${shape} at ${level.join('/')}, made ${moment}`;
            const got: unknown = await use(scene, link).catch((error: unknown) => error);
            assert.deepEqual(outside(scene), before, label);
            const said = got instanceof Error ? got.message : JSON.stringify(got ?? null);
            assert.ok(!said.includes(secret), label);
            const isRefused =
              got instanceof LeadsOutError ||
              /ENOENT|ENOTDIR|ELOOP|"gone"|"isWhole":false/.test(said) ||
              said.includes(leadsOut) ||
              said.includes('A link at or above') ||
              /"kind":"checkpointed"(?!.*"checkpoint")/.test(said);
            assert.ok(isRefused, `${label}: ${said}`);
          }
        }
      }
    });
  }

  it('is followed where it stays in the workspace', async () => {
    const scene = newScene(folder);
    const real = join(scene.workspace, 'real');
    renameSync(join(scene.workspace, 'a'), real);
    symlinkSync('real', join(scene.workspace, 'a'));
    assert.deepEqual(await fetchInto(opened(scene), () => undefined), []);
    assert.equal(readFileSync(join(real, 'b/c/new/file.copy'), 'utf8'), 'of a machine');
    assert.equal(await contentOf(await sentTree(opened(scene), ['train.py'])), 'own');
  });

  it('brings nothing of a file that became one between the look and the sending', async () => {
    const scene = newScene(folder);
    const there = join(scene.base, 'there');
    mkdirSync(there);
    writeFileSync(join(there, 'train.py'), 'before');
    const machine = { ssh: shellMachine(scene.base), clock: systemClock, platform: process.platform };
    const train = join(scene.named, 'train.py');
    const mayReplace = () => {
      rmSync(train);
      symlinkSync(join(scene.home, 'key'), train);
      return Promise.resolve(true);
    };
    const sent = upload(machine, 'gpu-7', await chosenFiles([train]), there, { mayReplace });
    await assert.rejects(sent, LeadsOutError);
    assert.equal(readFileSync(join(there, 'train.py'), 'utf8'), 'before');
  });
});
