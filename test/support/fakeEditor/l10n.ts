/** `l10n.t`: no translation, places filled by number or name. */
export function translate(first: string | { message: string; args?: unknown }, ...rest: unknown[]): string {
  const message = typeof first === 'string' ? first : first.message;
  const args = typeof first === 'string' ? rest : [first.args].flat();
  const [named] = args;
  const source = args.length === 1 && typeof named === 'object' && named !== null ? named : args;
  return message.replace(/\{([^}]+)\}/g, (whole, key: string) => {
    const value = (source as Record<string, unknown>)[key];
    return value === undefined ? whole : asText(value);
  });
}

function asText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number'
      ? value.toString()
      : JSON.stringify(value);
}
