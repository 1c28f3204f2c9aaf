import type { JobRowTarget } from '../../commandSpecs';
import { choose, confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking } from '../../editor/progress';
import { titleOf } from '../../editor/titles';
import { machineOf } from '../../jobs/model/job';
import { canExtend, extended, limitAt } from '../../jobs/model/jobExtension';
import { formatMoney } from '../../model/money';
import { accountFor } from '../../store/accounts/sameAccount';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { isKept, keepServingProgram } from '../machine/engineKey';
import type { ServedModel } from '../store/servedModels';
import type { ModelDeps } from './deps';

/** Returns the served model of a command, or, after a message, nothing for one that has ended. */
function servedOf({ servedModels }: ModelDeps, target: JobRowTarget | undefined): ServedModel | undefined {
  const served = servedModels.all.find(({ id }) => id === target?.jobId);
  if (served && !served.isOver) {
    return served;
  }
  message(
    'info',
    served
      ? t('{0} has already changed. The list shows its current state.', served.name)
      : t('This needs a model that is served.'),
  );
  return undefined;
}

/** Ends a model, and its machine as the user says now. */
export async function stopServing(deps: ModelDeps, target: JobRowTarget | undefined): Promise<void> {
  const asked = accountFor(deps.accounts);
  const served = servedOf(deps, target);
  const row = served && deps.jobs.find(served.id);
  if (!row) {
    return;
  }
  const { jobs } = deps;
  const { name, perHour } = machineOf(row);
  const rate = perHour === undefined ? '' : t('{0} costs {1}/h.', name, formatMoney(perHour));
  const end = (how: 'keep' | 'stop' | 'destroy') => async () => {
    asked();
    await jobs.endMachine(served.id, how);
    await jobs.stop(served.id);
  };
  await choose(
    {
      message: t('Stop serving {0}?', served.name),
      detail: [
        t('Requests get no answer from then on, and “{0}” ends as you choose.', plainLabel(name)),
        rate,
        t('A stopped instance still costs storage. A destroyed one loses all data on it.'),
      ]
        .filter((sentence) => sentence !== '')
        .join('\n'),
    },
    { label: t('Keep Instance'), run: end('keep') },
    { label: titleOf('gpuRental.instance.stop'), run: end('stop') },
    { label: titleOf('gpuRental.instance.destroy'), run: end('destroy') },
  );
}

const moreHours = 1;

/** Has the idle time begin again, and moves a limit that comes within the hour. */
export async function keepServing(deps: ModelDeps, target: JobRowTarget | undefined): Promise<void> {
  const asked = accountFor(deps.accounts);
  const served = servedOf(deps, target);
  const row = served && deps.jobs.find(served.id);
  const instanceId = served?.instanceId;
  if (!row || instanceId === undefined) {
    return;
  }
  const alias = deps.ssh.aliasOf(asked(), instanceId);
  const { stdout } = await whileAsking(deps.ssh.exec(alias, keepServingProgram(served.id)));
  if (!isKept(stdout)) {
    throw new UserError(text('{0} is not ready, so it does not count as idle yet.', served.name));
  }
  const limit = limitAt(row);
  const now = deps.clock.now();
  const limits =
    limit !== undefined && limit < now + moreHours * 3_600_000 && canExtend(row)
      ? extended(row, moreHours)
      : undefined;
  const costs = served.perHour === undefined ? '' : formatMoney(served.perHour);
  const isAgreed =
    limits &&
    (await confirm({
      message: t('Keep serving {0} for {1} h beyond its limit?', served.name, moreHours),
      detail: t('Its machine costs {0}/h.', costs),
      button: titleOf('gpuRental.model.keep'),
    }));
  if (limits && isAgreed) {
    asked();
    await deps.jobs.extend(served.id, limits);
    return;
  }
  message('info', t('{0} counts as used now.', served.name));
}
