import { explainingIfLost, ForbiddenError } from '../../api/errors';
import type { InstanceTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileSending } from '../../editor/progress';
import { askLine, pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { longestReport, type MachineReport } from '../../model/instances/machineReport';
import { speaksForReplacing, type Difference } from '../../model/proof/verdict';
import { judgeProof, laterFaultsOf } from '../../model/rentals/machineVerdict';
import { reportDraft } from '../../model/rentals/reportDraft';
import { clientFor } from '../../store/accounts/sameAccount';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { LifecycleDeps } from './deps';
import { chooseOneInstance } from './targets';

const id = 'gpuRental.instance.reportMachine';

/** Tells the owner of a machine of a problem, through the service. The user sees and changes every word before. */
export async function reportMachine(deps: LifecycleDeps, target: InstanceTarget | undefined): Promise<void> {
  const still = clientFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, undefined, id);
  const { machineId } = instance ?? {};
  if (!instance || machineId === undefined) {
    return;
  }
  const draft = reportDraft({
    faults: knownFaults(deps, instance),
    check: deps.machineProofs.find(instance.id)?.check,
    phase: deps.rentals.find(instance.id)?.phase,
  });
  const title = t('{0}: {1}', titleOf(id), `#${machineId}`);
  const chosen = await pickOne(
    draft.problems.map((problem) => ({ label: plainLabel(problem), problem })),
    { title, placeHolder: t('What is wrong with the machine?') },
  );
  const words =
    chosen &&
    (await askLine({
      title: t('{0}: {1}', title, chosen.problem),
      prompt: t('The owner of the machine reads this. Leave out names and addresses.'),
      value: draft.message,
      ignoreFocusOut: true,
      problem: ({ length }) =>
        length > longestReport ? t('{0} of {1} characters', length, longestReport) : undefined,
    }));
  if (!chosen || words === undefined) {
    return;
  }
  const report: MachineReport = { machineId, problem: chosen.problem, message: words.trim() };
  const isSure = await confirm({
    message: t('Report machine #{0} to its owner?', machineId),
    detail: [
      t("The service passes it on, and you can't take it back."),
      '',
      plainLabel(report.problem),
      plainLabel(report.message),
    ].join('\n'),
    button: titleOf(id),
  });
  if (isSure) {
    const client = still();
    await whileSending(send(machineId, () => client.instances.reportMachine(instance.id, report)));
    message('info', t('Machine #{0} is reported.', machineId));
  }
}

/** Returns what the last probe of a machine found, else its check; a machine that no login reached has none. */
function knownFaults(
  { machineProofs, rentals }: Pick<LifecycleDeps, 'machineProofs' | 'rentals'>,
  instance: Instance,
): readonly Difference[] {
  const row = machineProofs.find(instance.id);
  const offer = rentals.find(instance.id)?.offer;
  const later = laterFaultsOf(instance, offer, row);
  return later.length === 0 && row?.check.kind === 'proved'
    ? judgeProof(instance, offer, row.check.proof).verdict.differences
    : later;
}

/** Returns those of them that speak against the machine: the user's own files may fill its disk. */
export function faultsOfMachine(
  deps: Pick<LifecycleDeps, 'machineProofs' | 'rentals'>,
  instance: Instance,
): readonly Difference[] {
  return knownFaults(deps, instance).filter((one) =>
    speaksForReplacing({ ok: false, differences: [one], notes: [] }, false),
  );
}

async function send(machineId: number, report: () => Promise<void>): Promise<void> {
  const lost = text(
    'The service did not answer, so machine #{0} may be reported already. It is not sent again.',
    machineId,
  );
  try {
    await explainingIfLost(lost, report);
  } catch (error) {
    const isElsewhere = error instanceof ForbiddenError && error.lacking === undefined;
    throw isElsewhere
      ? new UserError(
          text(
            'The service took no report, because it lists no instance of yours on machine #{0}.',
            machineId,
          ),
          { cause: error },
        )
      : error;
  }
}
