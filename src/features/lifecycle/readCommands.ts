import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import type { OutputDocuments } from '../../editor/outputDocuments';
import { withCancellableProgress } from '../../editor/progress';
import { askLine } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { detailsDocument } from '../../model/instances/instanceDetails';
import { instanceName } from '../../model/instances/instanceLabel';
import { checkText } from '../../model/rentals/machineVerdict';
import { clientFor } from '../../store/accounts/sameAccount';
import type { LifecycleDeps } from './deps';
import { chooseOneInstance, clientOf, InstanceGoneError } from './targets';

/** See docs/service/limits.md#sizes. */
const longestCommand = 512;

export async function runOnInstance(
  deps: LifecycleDeps,
  documents: OutputDocuments,
  target: InstanceTarget | undefined,
): Promise<void> {
  const client = clientFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, 'canRunCommand', 'gpuRental.instance.runCommand');
  if (!instance) {
    return;
  }
  const name = instanceName(instance);
  const command = await askLine({
    title: t('{0}: {1}', titleOf('gpuRental.instance.runCommand'), name),
    prompt: t('The service runs only ls, du and rm here. To run other commands, connect to the instance.'),
    placeholder: 'ls -la /workspace',
    ignoreFocusOut: true,
    problem: (value) => {
      const { length } = value.trim();
      if (length > longestCommand) {
        return t('A command has at most {0} characters. This one has {1}.', longestCommand, length);
      }
      return length === 0
        ? undefined
        : {
            message: t('{0} of {1} characters', length, longestCommand),
            severity: vscode.InputBoxValidationSeverity.Info,
          };
    },
  });
  if (command === undefined || command.trim() === '') {
    return;
  }
  if (/^\s*rm\b/.test(command) && !(await confirmRemoval(name, command.trim()))) {
    return;
  }
  const output = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    client().instances.execute(instance.id, command, { signal }),
  );
  await documents.show(
    documents.uri(`command-${instance.id}-${deps.clock.now()}`, `${name}.txt`),
    `$ ${command.trim()}\n${output}`,
  );
}

function confirmRemoval(name: string, command: string): Promise<boolean> {
  return confirm({
    message: t('Remove files on “{0}”?', name),
    detail: t('{0}\n\nRemoved files are lost for good.', command),
    button: t('Run'),
  });
}

/** Returns the last check with its time, as one line. */
function lastCheck({ machineProofs, rentals }: LifecycleDeps, instance: Instance): string | undefined {
  const last = machineProofs.find(instance.id);
  const offer = rentals.find(instance.id)?.offer;
  return last && `${new Date(last.at).toISOString()}: ${localize(checkText(instance, offer, last.check))}`;
}

/** Shows the record as a document, with its secrets masked. */
export async function showDetails(
  deps: LifecycleDeps,
  documents: OutputDocuments,
  target: InstanceTarget | undefined,
): Promise<void> {
  const known = await chooseOneInstance(deps, target, undefined, 'gpuRental.instance.showDetails');
  if (!known) {
    return;
  }
  const instance = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    clientOf(deps).instances.get(known.id, { signal }),
  );
  if (!instance) {
    throw new InstanceGoneError(known.id);
  }
  const content = detailsDocument(
    instance,
    deps.fleet.facts(instance.id),
    deps.clock.now(),
    deps.gauges.of(instance.id),
    lastCheck(deps, instance),
  );
  await documents.show(
    documents.uri(`details-${instance.id}`, `${instanceName(instance)}.json`),
    content,
    'json',
  );
}
