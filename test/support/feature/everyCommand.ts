import assert from 'node:assert/strict';
import { commandIds, ownIds } from '../../../src/commandSpecs';
import { letAgentsIn } from './agentDriver';
import type { Computer } from './computer';
import { reachableInstance, remoteSshExtension } from './reachable';
import type { FeatureWindow } from './window';

/** Questions that are no change: searches, and the code that a first second factor begins with. */
const questions =
  /^POST \/api\/v0\/(bundles|volumes\/search|tfa\/authorize-new-method)\/$|^PUT \/api\/v0\/instances\/request_logs\//;
/** What ends later than this in the product's time, its questions closed at once, hangs. */
const longestMs = 10 * 60_000;

/** What waits longer than this without a sign looks as if nothing happened. */
const silentMs = 4_000;

/**
 * Closes what asks and what tells, as a user does who wants nothing: with Enter where a dialog is open, whose first
 * button is the default, so none of them may lose data, cost money or trust somebody. True where there was something.
 */
function closeAll(window: FeatureWindow): boolean {
  const { messages, quick, panels } = window.screen;
  const hadQuick = quick.current !== undefined;
  window.quick.escape();
  for (const panel of panels.all) {
    panel.close();
  }
  const all = [...messages.shown];
  for (const message of all) {
    message.wasSeen = true;
    const [first] = message.buttons;
    if (message.modal && first !== undefined) {
      message.press(first);
    } else if (message.kind !== 'progress') {
      message.close();
    } else if (message.buttons.includes('Cancel')) {
      message.press('Cancel');
    }
  }
  return hadQuick || all.length > 0;
}

/** How much was ever told, asked, opened, copied or read; it grows with each sign of life. */
function signsOf(computer: Computer, window: FeatureWindow): number {
  const { messages, statusMessages, documents, commands, terminals, panels, externalLinks } = window.screen;
  return [
    messages.history,
    statusMessages,
    documents.shown,
    commands.executed,
    terminals.history,
    panels.all,
    externalLinks,
    computer.simulator.requests(),
  ].reduce((sum, list) => sum + list.length, 0);
}

interface Run {
  /** It told, asked, opened or read something, or gave an answer. */
  readonly isSeen: boolean;
  /** The longest time in which it neither ended nor showed anything (ms). */
  readonly silentForMs: number;
  /** Problems of our own that it met. */
  readonly faults: readonly string[];
  /** What it sent that is no question. */
  readonly changes: readonly string[];
}

/** Runs a command to its end, its questions closed at once; throws where it fails or does not end. */
async function runOne(window: FeatureWindow, id: string, args: readonly unknown[]): Promise<Run> {
  const { computer, screen } = window;
  const from = computer.simulator.requests().length;
  const before = signsOf(computer, window);
  const clipboard = computer.clipboard.text;
  screen.fileDialogs.splice(0, Infinity, undefined, undefined);
  const dialogs = screen.fileDialogs.length;
  const logged = screen.log.length;
  let end: { readonly value: unknown } | { readonly error: unknown } | undefined;
  screen.commands.execute(id, ...args).then(
    (value) => (end = { value }),
    (error: unknown) => (end = { error }),
  );
  let hadQuestion = false;
  let silentForMs = 0;
  let shownAt = computer.clock.elapsed();
  const until = shownAt + longestMs;
  for (;;) {
    await computer.rest();
    const wasClosed = closeAll(window);
    hadQuestion = wasClosed || hadQuestion;
    await computer.rest();
    if (end) {
      break;
    }
    assert.ok(computer.clock.elapsed() < until, `it does not end\n${window.describe()}`);
    const isShown = wasClosed || screen.quietProgress.length > 0;
    await computer.pass(Math.max(1, computer.clock.untilNext ?? 1000));
    if (isShown) {
      shownAt = computer.clock.elapsed();
    }
    silentForMs = Math.max(silentForMs, computer.clock.elapsed() - shownAt);
  }
  hadQuestion = closeAll(window) || hadQuestion;
  await computer.rest();
  if ('error' in end) {
    throw end.error;
  }
  return {
    isSeen:
      hadQuestion ||
      screen.fileDialogs.length < dialogs ||
      signsOf(computer, window) > before ||
      computer.clipboard.text !== clipboard ||
      end.value !== undefined,
    silentForMs,
    faults: screen.log.slice(logged).filter((line) => line.startsWith('[error]')),
    changes: computer.simulator
      .requests()
      .slice(from)
      .map(({ method, path }) => `${method} ${path}`)
      .filter((call) => !call.startsWith('GET ') && !questions.test(call)),
  };
}

/** It leaves the account for another one. */
const apart = ['gpuRental.tryDemo'];
/** Buttons of a row or a comparison that is gone: nothing is there to be done, and nothing was. */
const quiet = new Set([
  'gpuRental.port.stopForwarding',
  'gpuRental.files.refresh',
  'gpuRental.secret.reveal',
  'gpuRental.template.removeFavourite',
  'gpuRental.template.compare',
  'gpuRental.template.useMine',
  'gpuRental.template.useTheirs',
  'gpuRental.template.merge',
]);
const contributed: ReadonlySet<string> = new Set(commandIds);

type Ids = Readonly<Record<string, unknown>>;

/** What another extension, a link or a row of long ago could give to a command. */
function shapes(gone: Ids, real: Ids, stopped: Ids): Readonly<Record<string, readonly unknown[]>> {
  return {
    nothing: [],
    null: [null],
    'a number': [7],
    'a text': ['7'],
    'an empty object': [{}],
    'a list': [[], [gone]],
    'ids of another type': [Object.fromEntries(Object.keys(gone).map((key) => [key, { broken: true }]))],
    'no numbers': [Object.fromEntries(Object.keys(gone).map((key) => [key, Number.NaN]))],
    'what is gone': [gone, [gone, gone]],
    'what is there': [real],
    'what is there, said to be agreed': [{ ...real, ...agreed }, [{ ...real, ...agreed }], agreed],
    'what was stopped': [{ ...real, ...stopped, ...agreed }],
  };
}

/** Options that a caller could hope to be taken for a yes. */
const agreed = {
  ...{ confirmed: true, isConfirmed: true, isAgreed: true, force: true, yes: true, skipQuestion: true },
  ...{ dataLossAccepted: true, overBudgetAccepted: true, modal: false, now: true },
};

const gone = {
  ...{ instanceId: 99, templateId: 99, machineId: 99, deploymentId: 99, methodId: 99, apiKeyId: 99 },
  ...{ sshKeyId: 99, volumeId: 99, keyId: 99, offerId: 99, secretName: 'GONE', roleName: 'gone' },
  remotePath: '/gone',
  ...{ uri: 'gpurental://templates/99/gone.json', port: 1, via: 'public', follows: false },
  ...{ query: {}, filters: {}, title: 'title', content: 'content' },
};

/** What is given to each command, by name. */
export const shapeNames = Object.keys(shapes({}, {}, {}));

export interface CommandState {
  readonly isSignedIn: boolean;
  /** What the user lets agents do. */
  readonly access: 'off' | 'ask';
}

/** A window in this state; gives what is wrong with any command that gets a shape of arguments, one sentence each. */
export function useEveryCommand(
  computer: () => Computer,
  { isSignedIn, access }: CommandState,
): (shape: string) => Promise<readonly string[]> {
  let window: FeatureWindow;
  let real: Ids = {};
  let stopped: Ids = {};

  before(async () => {
    const instanceId = await reachableInstance(computer(), 'trainer');
    const first = async (path: string, field?: string) => {
      const { json } = await computer().simulator.call('GET', path);
      const rows = (field === undefined ? json : json[field]) as readonly { readonly id: number }[];
      return rows[0]?.id;
    };
    real = {
      instanceId,
      sshKeyId: await first('/api/v0/ssh/'),
      machineId: await first('/api/v0/machines/', 'machines'),
      deploymentId: await first('/api/v0/deployments/', 'deployments'),
      templateId: await first('/api/v0/template/', 'templates'),
      apiKeyId: await first('/api/v0/auth/apikeys/', 'apikeys'),
    };
    const { simulator } = computer();
    const stoppedId = await computer().rentRunning({ label: 'stopped one', runtype: 'ssh_direct' });
    await simulator.call('PUT', `/api/v0/instances/${stoppedId}/`, { state: 'stopped' });
    const { json } = await simulator.call('GET', '/api/v0/deployments/');
    const deployments = json['deployments'] as readonly { id: number; endpoint_state?: string }[];
    const active = deployments.find(({ endpoint_state }) => endpoint_state === 'active');
    assert.ok(active, 'a deployment is active');
    await simulator.call('POST', `/api/v0/deployment/${active.id}/stop/`);
    stopped = { instanceId: stoppedId, deploymentId: active.id };
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    if (isSignedIn) {
      await window.signIn();
      await window.view('instances').row('trainer');
    } else {
      // The first command loads the product, and with it the internal ones.
      await runOne(window, 'gpuRental.refresh', []);
    }
    if (access === 'ask') {
      await letAgentsIn(window);
    }
    window.clearToasts();
  });

  return async (shape) => {
    const given = shapes(gone, real, stopped)[shape] ?? [];
    const problems: string[] = [];
    const ids = window.screen.commands.ids().filter((id) => !apart.includes(id));
    assert.ok(ids.length > commandIds.length, 'the product is loaded');
    assert.deepEqual(
      ids.filter((id) => ownIds.has(id)),
      [],
      'the editor knows a command that is our own alone',
    );
    for (const id of ids) {
      const isOffered = window.screen.commands.isInPalette(id);
      try {
        const { isSeen, silentForMs, changes, faults } = await runOne(window, id, given);
        const isOurs = contributed.has(id);
        const mustReport = shape === 'nothing' ? isOffered : shape === 'what is gone' && isSignedIn && isOurs;
        if (!isSeen && mustReport && !quiet.has(id)) {
          problems.push(`${id} says nothing`);
        }
        if (silentForMs > silentMs) {
          problems.push(`${id} shows nothing for ${silentForMs} ms`);
        }
        // Only our own code calls the others, with what their types say.
        if (isOurs) {
          problems.push(...faults.map((fault) => `${id}: ${fault.slice(0, 300)}`));
        }
        problems.push(...changes.map((call) => `${id} sends ${call}`));
      } catch (error) {
        problems.push(`${id} fails: ${String(error).slice(0, 500)}`);
      }
    }
    const progress = window.screen.messages.shown.filter(({ kind }) => kind === 'progress');
    const left = [...progress.map(({ text }) => text), ...window.screen.quietProgress];
    problems.push(...left.map((text) => `progress is left: ${text}`));
    return problems;
  };
}
