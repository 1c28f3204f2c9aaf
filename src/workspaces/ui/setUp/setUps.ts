import * as vscode from 'vscode';
import { runCommand } from '../../../editor/commands';
import { confirm } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { withCancellableProgress } from '../../../editor/progress';
import { labelOf } from '../../../editor/titles';
import type { HeldAlias } from '../../../model/instances/heldInstance';
import { instanceName } from '../../../model/instances/instanceLabel';
import type { SetUpSeen, SetUpStep } from '../../../model/instances/setUpSteps';
import type { Services } from '../../../services';
import { runProgram } from '../../../ssh/run';
import { accountStill } from '../../../store/accounts/sameAccount';
import type { Disposable } from '../../../util/disposable';
import { CancelledError } from '../../../util/errors';
import { plainLabel } from '../../../util/plainLabel';
import {
  environmentStep,
  laterProgram,
  extensionsStep,
  laterSteps,
  logOf,
  orderSetUp,
  type SetUpOrder,
  type WantedStep,
} from '../../machine/setUp/machineSetUp';
import { fileUri } from '../fileDocuments';
import { installExtensions } from './extensions';
import { MachineSecrets } from './machineSecrets';
import { ownSteps } from './ownSetUp';
import { RepositorySetUps, type RepositoryDeps } from './repositorySetUps';
import { stepName } from './setUpRows';

export type SetUpDeps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'globalState'
  | 'keptSecrets'
  | 'log'
  | 'machineSetUps'
  | 'report'
  | 'settings'
  | 'ssh'
> &
  RepositoryDeps;

/** Sets machines up. What a machine remembers decides what is done, and it is told at each connection. */
export class SetUps implements Disposable {
  private readonly secrets: MachineSecrets;
  private readonly repositories: RepositorySetUps;
  /** Machines whose long steps are waited for. */
  private readonly followed = new Map<string, Promise<void>>();
  private isInstalling = false;
  private readonly end = new AbortController();

  constructor(private readonly deps: SetUpDeps) {
    this.secrets = new MachineSecrets(deps);
    this.repositories = new RepositorySetUps(deps);
  }

  dispose(): void {
    this.end.abort();
  }

  /** Does the short steps before a window opens in a folder. A failure is shown and does not keep it from opening. */
  async before(reached: HeldAlias, folder: string): Promise<void> {
    try {
      await this.order(reached, {}, folder);
    } catch (error) {
      if (error instanceof CancelledError) {
        throw error;
      }
      this.deps.report.error(error);
    }
  }

  /** Does all steps that the machine lacks, the long ones in a terminal. */
  async run(reached: HeldAlias, again: readonly SetUpStep[] = []): Promise<void> {
    const seen = await this.order(reached, { again });
    const long = seen?.steps.filter(({ step }) => laterSteps.includes(step)) ?? [];
    const runs = long.some(({ state }) => state === 'running');
    if (!runs && long.some(({ state }) => state === 'waits')) {
      await runCommand('gpuRental.terminal.runProgram', {
        ...reached,
        name: 'set-up',
        program: laterProgram,
      });
    }
    if (long.some(({ state }) => typeof state === 'string')) {
      void this.follow(reached);
    }
  }

  /** Does one step again, or those that failed, or all, and asks again for what was not given. */
  async runAgain(reached: HeldAlias, step: SetUpStep | undefined): Promise<void> {
    const { alias, instanceId } = reached;
    const steps = this.deps.machineSetUps.of(alias, instanceId)?.steps ?? [];
    const failed = steps.filter(({ state }) => typeof state === 'number' && state > 0);
    if (step === undefined || step === 'environment') {
      await this.secrets.forgetDeclined(reached);
    }
    if (step === undefined || step === 'script') {
      await this.repositories.forgetDeclined();
    }
    const all = (failed.length > 0 ? failed : steps).map((one) => one.step);
    await this.run(reached, step ? [step] : all);
  }

  async removeSecrets(reached: HeldAlias): Promise<void> {
    const name = this.name(reached.instanceId);
    const names = [...(await this.secrets.of({ ...reached, name })).keys()];
    const isAgreed = await confirm({
      message: t('Remove the secrets from {0}?', name),
      detail: t(
        'Removed: {0}. Running programs keep their values, and the owner of the machine may have read them.',
        names.join(', ') || '–',
      ),
      button: t('Remove'),
    });
    if (isAgreed) {
      await this.send(reached, { dropped: ['environment'] });
      await this.secrets.release(reached);
    }
  }

  /** Opens what a step has printed on its machine, or our own log where the machine was not asked. */
  async showLog({ alias, instanceId }: HeldAlias, step: SetUpStep | undefined): Promise<void> {
    const seen = this.deps.machineSetUps.of(alias, instanceId);
    const path = seen && step && logOf(seen, step);
    await (path === undefined
      ? runCommand('gpuRental.showLog')
      : vscode.commands.executeCommand('vscode.open', fileUri(alias, path)));
  }

  private async order(
    reached: HeldAlias,
    order: SetUpOrder = {},
    opened?: string,
  ): Promise<SetUpSeen | undefined> {
    const { accounts, settings } = this.deps;
    const machine = { ...reached, name: this.name(reached.instanceId) };
    const script = await this.repositories.ask(machine, opened);
    const { secrets } = this.repositories.of(reached);
    const names = [...settings.get('gpuRental.setUp.secrets'), ...secrets];
    const variables = await this.secrets.ask(machine, names);
    const wanted = [
      ...(await ownSteps(settings, runProgram)),
      ...(variables.size > 0 ? [environmentStep(variables)] : []),
      ...this.extensions(reached),
      ...script,
    ];
    accountStill(accounts, reached.accountKey);
    const known = this.deps.machineSetUps.of(reached.alias, reached.instanceId);
    // The settings have none of the names any more.
    const isTakenBack = variables.size === 0 && (await this.secrets.of(machine)).size > 0;
    if (wanted.length === 0 && !known && !isTakenBack) {
      return undefined;
    }
    const seen = await this.send(reached, { ...order, wanted, dropped: isTakenBack ? ['environment'] : [] });
    await (isTakenBack && this.secrets.release(reached));
    return seen;
  }

  /** Those of the settings and of what the user agreed to for the machine. */
  private extensions(reached: HeldAlias): readonly WantedStep[] {
    const { extensions } = this.repositories.of(reached);
    return extensionsStep([...this.deps.settings.get('gpuRental.setUp.extensions'), ...extensions]);
  }

  /** Installs the extensions that this machine has not got yet, in its own window, and tells the machine. */
  async installExtensions(reached: HeldAlias): Promise<void> {
    const { alias, instanceId } = reached;
    const { machineSetUps } = this.deps;
    const waits = machineSetUps
      .of(alias, instanceId)
      ?.steps.some(({ step, state }) => step === 'extensions' && state === 'waits');
    const [of] = this.extensions(reached);
    if (this.isInstalling || waits !== true || !of) {
      return;
    }
    this.isInstalling = true;
    try {
      const { failed, log } = await installExtensions(of.lines);
      await this.send(reached, { done: { of, isOk: failed.length === 0, log } });
      if (failed.length > 0) {
        this.failed(
          reached,
          ['extensions'],
          t('Not installed in the window of {0}: {1}', this.name(instanceId), failed.join(', ')),
        );
      }
    } finally {
      this.isInstalling = false;
    }
  }

  private failed(reached: HeldAlias, steps: readonly SetUpStep[], sentence: string): void {
    message(
      'warning',
      sentence,
      { label: labelOf('gpuRental.setUp.showLog'), run: () => this.showLog(reached, steps[0]) },
      { label: labelOf('gpuRental.setUp.run'), run: () => this.run(reached, steps) },
    );
  }

  private async send({ alias, instanceId }: HeldAlias, order: SetUpOrder): Promise<SetUpSeen> {
    const { machineSetUps, ssh } = this.deps;
    const seen = await withCancellableProgress(t('Setting up {0}', this.name(instanceId)), (signal) =>
      orderSetUp(ssh, alias, order, signal),
    );
    machineSetUps.note(alias, seen);
    return seen;
  }

  /** Waits on the machine for the end of the long steps, in a login that is no use of it, and names what failed. */
  private follow(reached: HeldAlias): Promise<void> {
    const { alias, instanceId } = reached;
    const under = this.followed.get(alias);
    if (under) {
      return under;
    }
    const { log, machineSetUps, ssh } = this.deps;
    const follow = orderSetUp(ssh, alias, { waits: true }, this.end.signal)
      .then(
        (seen) => {
          machineSetUps.note(alias, seen);
          const failed = seen.steps.flatMap(({ step, state }) =>
            laterSteps.includes(step) && typeof state === 'number' && state > 0 ? [step] : [],
          );
          if (failed.length > 0) {
            const names = failed.map(stepName).join(', ');
            this.failed(reached, failed, t('The set-up of {0} failed: {1}', this.name(instanceId), names));
          }
        },
        (error: unknown) => log.info(`The set-up of ${alias} is not followed any more: ${String(error)}`),
      )
      .finally(() => this.followed.delete(alias));
    this.followed.set(alias, follow);
    return follow;
  }

  private name(instanceId: number): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  }
}
