import type { InstanceTarget } from '../../commandSpecs';
import { showInstances } from '../../editor/chooseInstance';
import { allRows } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import { askLine, pickFromList, pickMany } from '../../editor/quickPick';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { connectableInstances } from '../../store/instances/listed';
import { plainLabel } from '../../util/plainLabel';
import type { HostSet, HostSetMembers } from '../model/hostSet';
import type { EngineDeps } from './deps';

/** Returns reachable instances: the given ones, or those that the user leaves ticked in a list. */
export async function chooseHosts(
  deps: EngineDeps,
  target: InstanceTarget | undefined,
  selected: readonly InstanceTarget[] | undefined,
  title: string,
): Promise<readonly Instance[]> {
  const able = await connectableInstances(deps, whileReadingInstances);
  const given = new Set(allRows(target, selected).map(({ instanceId }) => instanceId));
  const candidates = given.size === 0 ? able : able.filter(({ id }) => given.has(id));
  if (candidates.length === 0) {
    message('info', t('This needs a running instance.'), showInstances());
    return [];
  }
  if (given.size > candidates.length) {
    message(
      'info',
      t('Left out, because they are not running or have no SSH: {0}.', given.size - candidates.length),
    );
  }
  return given.size > 0 || candidates.length === 1 ? candidates : tick(candidates, title);
}

async function tick(candidates: readonly Instance[], title: string): Promise<readonly Instance[]> {
  const rows = candidates.map((instance) => ({ ...rowOf(instance), picked: true, instance }));
  const picked = await pickMany(rows, { title, placeHolder: t('Which instances?') });
  return (picked ?? []).map(({ instance }) => instance);
}

/** Asks for the members of a new group: the given instances, or a rule that includes later instances. */
export async function chooseMembers(
  deps: EngineDeps,
  given: readonly InstanceTarget[],
  title: string,
): Promise<HostSetMembers | undefined> {
  if (given.length > 1) {
    return { kind: 'chosen', ids: given.map(({ instanceId }) => instanceId) };
  }
  const answer = await pickFromList<HostSetMembers['kind']>({
    title,
    placeholder: t('Which instances belong to the group?'),
    activeId: given.length === 1 ? 'chosen' : 'running',
    rows: [
      {
        id: 'running',
        icon: 'server-environment',
        label: t('All Running Instances'),
        description: t('includes instances that you rent later'),
        value: 'running',
      },
      {
        id: 'label',
        icon: 'tag',
        label: t('Instances by Label…'),
        description: t('includes later instances with this label'),
        value: 'label',
      },
      { id: 'chosen', icon: 'checklist', label: t('Only These Instances…'), value: 'chosen' },
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  switch (answer.value) {
    case 'running':
      return { kind: 'running' };
    case 'label': {
      const pattern = await askLine({
        title,
        prompt: t('Label of the instances. * matches any characters.'),
        placeholder: 'sweep-*',
        problem: (value) => (value.trim() === '' ? t('Enter a value.') : undefined),
      });
      return pattern === undefined ? undefined : { kind: 'label', pattern: pattern.trim() };
    }
    case 'chosen': {
      const ids =
        given.length > 0
          ? given.map(({ instanceId }) => instanceId)
          : (await tick(await connectableInstances(deps, whileReadingInstances), title)).map(({ id }) => id);
      return ids.length === 0 ? undefined : { kind: 'chosen', ids };
    }
  }
}

/** Returns a short description of the members of a group. */
export function membersText(members: HostSetMembers): string {
  switch (members.kind) {
    case 'running':
      return t('All Running Instances');
    case 'label':
      return t('label {0}', members.pattern);
    case 'chosen':
      return t('Chosen instances: {0}', members.ids.length);
  }
}

/** Returns the row of a group in a list. */
export function setRow(set: HostSet) {
  return {
    id: set.id,
    icon: 'references',
    label: set.name,
    description: membersText(set.members),
    detail: set.folder,
    value: set,
  };
}

function rowOf(instance: Instance) {
  return {
    label: plainLabel(instanceName(instance)),
    description: `#${instance.id}${instance.gpuName === undefined ? '' : ` · ${instance.gpuCount ?? 1}× ${instance.gpuName}`}`,
  };
}
