/** The id in a tree node, a link or a call of another extension; `undefined` for anything else. */
export function instanceIdOf(target: unknown): number | undefined {
  if (typeof target !== 'object' || target === null || !('instanceId' in target)) {
    return undefined;
  }
  const { instanceId } = target;
  return typeof instanceId === 'number' && Number.isSafeInteger(instanceId) && instanceId > 0
    ? instanceId
    : undefined;
}
