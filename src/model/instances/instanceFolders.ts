import { actingPart } from '../../util/actingNames';
import { safeFileName } from '../../util/fileName';
import type { Instance } from './instance';
import { instanceName } from './instanceLabel';

/**
 * Returns what names the folder of each of these instances: after the instance, with its number where a disk that does
 * not tell upper from lower case has that name already.
 */
export function folderNames(instances: readonly Instance[]): (instance: Instance) => string {
  const wanted = (instance: Instance) => {
    const name = safeFileName(instanceName(instance), 'instance');
    // A label comes from the service, and programs act on some names.
    return actingPart(name, 'folder') === undefined ? name : `instance-${name}`;
  };
  const count = new Map<string, number>();
  for (const instance of instances) {
    const name = wanted(instance).toLowerCase();
    count.set(name, (count.get(name) ?? 0) + 1);
  }
  return (instance) => {
    const name = wanted(instance);
    return (count.get(name.toLowerCase()) ?? 0) > 1 ? `${name}-${instance.id}` : name;
  };
}
