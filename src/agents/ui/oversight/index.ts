import { join } from 'node:path';
import { runCommand } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import type { StatusItem } from '../../../editor/statusItem';
import type { InstanceNote, InstanceNotes } from '../../../editor/treeGroups';
import { instanceName } from '../../../model/instances/instanceLabel';
import { stateOf } from '../../../model/instances/instanceState';
import type { Clock } from '../../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../../util/disposable';
import { Emitter } from '../../../util/emitter';
import { answerWithinMs } from '../../model/gate';
import type { Services } from '../../services';
import { AuditLog } from '../../store/auditLog';
import { answerOutside } from '../../store/outsideCalls';
import { AgentWatch, type AgentWatchDeps } from './agentWatch';
import { AgentsGroup } from './agentsGroup';
import { stopAllOfAgents } from './stopAll';

type Deps = AgentWatchDeps &
  Pick<
    Services,
    | 'accounts'
    | 'agentDoor'
    | 'agentLimits'
    | 'agentTools'
    | 'accountGroups'
    | 'instanceGroups'
    | 'commands'
    | 'hub'
    | 'jobs'
    | 'rentedByAgents'
    | 'log'
    | 'settings'
    | 'statusItem'
    | 'storageDir'
    | 'work'
  >;

/** Registers the access for agents outside of the editor, and the views of all agents. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { agentDoor, agentTools, commands, settings } = deps;
  const audit = new AuditLog(join(deps.storageDir, 'agents.log'), deps);
  store.add(
    agentDoor.serve(
      answerOutside(agentTools, {
        access: async () => (await deps.agentLimits.read()).inForce.access,
        rows: () => listedRows(deps),
        onDidChange: (listener) => {
          const both = new DisposableStore();
          both.add(deps.fleet.onDidChange(listener));
          both.add(deps.jobs.onDidChange(listener));
          return both;
        },
        clock: deps.clock,
      }),
    ),
  );
  store.add(agentTools.onDidCall((call) => void audit.add(call)));
  const watch = store.add(new AgentWatch(deps));
  store.add(deps.accountGroups.addGroup(store.add(new AgentsGroup(deps, watch))));
  store.add(deps.instanceGroups.addInstanceNotes(store.add(new AgentNotes(watch))));
  store.add(showAgentStatus(watch, deps));
  store.add(commands.register('gpuRental.agents.stopAll', () => stopAllOfAgents(watch, deps)));
  store.add(
    commands.register('gpuRental.agents.showLog', async () => {
      const content = await audit.read();
      await runCommand('gpuRental.showText', {
        title: t('Agent Log'),
        content: content === '' ? t('No agent has called a tool yet.') : content,
      });
    }),
  );
  const isOn = () => settings.get('gpuRental.agents.access') !== 'off';
  store.add(
    deps.work.add({
      renters: () => deps.rentedByAgents(),
      // A call of an agent outside of the editor would not load the product.
      isPending: isOn,
      onDidChange: (listener) => settings.onDidChange('gpuRental.agents', listener),
    }),
  );
  return store;
}

/** What the resources of the server list: instances and jobs. */
function listedRows({ fleet, jobs, clock }: Pick<Services, 'fleet' | 'jobs' | 'clock'>): readonly unknown[] {
  const { state } = fleet;
  const instances = state.kind === 'ready' ? state.value.instances : [];
  return [
    ...instances.map((one) => [one.id, stateOf(one, fleet.facts(one.id), clock.now())]),
    ...jobs.rows.map(({ job, state: { phase } }) => [job.id, phase]),
  ];
}

/** Marks the instances that agents rented, in their rows and tooltips. */
class AgentNotes implements InstanceNotes, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private shown = '';

  constructor(private readonly watch: AgentWatch) {
    this.owned.add(
      watch.onDidChange(() => {
        const now = watch.instances.map(({ instance }) => instance.id).join();
        if (now !== this.shown) {
          this.shown = now;
          this.changed.fire();
        }
      }),
    );
  }

  note(instanceId: number): InstanceNote | undefined {
    const request = this.watch.rentedFor(instanceId);
    return (
      request && {
        row: t('by agent'),
        isWhose: true,
        lines: () => [[t('Rented by agent (unverified name)'), t('“{0}”', request.caller.name)]],
      }
    );
  }

  dispose(): void {
    this.owned.dispose();
  }
}

/** Shows pending questions, otherwise what agents do and have rented; a click opens either. */
export function showAgentStatus(
  watch: AgentWatch,
  { clock, statusItem }: { readonly clock: Clock; readonly statusItem: StatusItem },
): Disposable {
  const store = new DisposableStore();
  store.add(statusItem.owned('agents'));
  const timer = store.add(new MutableDisposable<Disposable>());
  const show = () => {
    const { pending, underWay } = watch;
    const running = watch.instances.filter(({ canStop }) => canStop);
    const ends = pending.map(({ at }) => at + answerWithinMs - clock.now());
    timer.value = ends.length > 0 ? clock.schedule(show, Math.max(0, ...ends)) : undefined;
    if (pending.length + underWay.length + running.length === 0) {
      statusItem.set('agents', undefined);
      return;
    }
    const label =
      pending.length > 0
        ? waitingText(pending.length)
        : underWay.length > 0
          ? t('Agent at work')
          : t('Agent instances: {0}', running.length);
    statusItem.set('agents', {
      text: `$(hubot) ${label}`,
      tooltip: [label, ...running.map(({ instance }) => instanceName(instance))].join('\n'),
      spoken: label,
      isWarning: pending.length > 0,
      command:
        pending.length > 0
          ? { command: 'gpuRental.agents.openRequest', title: t("Answer the agent's request") }
          : { command: 'gpuRental.instances.focus', title: t('Show Instances') },
    });
  };
  store.add(watch.onDidChange(show));
  show();
  return store;
}

function waitingText(count: number): string {
  return t('Waiting requests: {0}', count);
}
