/** Environment as the create request has it: names, and `-p host:container` keys with the value 1. */
export type EnvDict = Readonly<Record<string, string>>;

/** Splits a template's flag text as a shell would: quotes group, a backslash keeps the next letter or joins two lines. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const pattern = /(?:[^\s"'\\]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
  for (const [word] of text.replace(/(?<!\\)\\\r?\n/g, '').matchAll(pattern)) {
    words.push(
      word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs, (_, escaped, double, single) =>
        unquote(escaped as string | undefined, double as string | undefined, single as string | undefined),
      ),
    );
  }
  return words;
}

function unquote(
  escaped: string | undefined,
  double: string | undefined,
  single: string | undefined,
): string {
  return escaped ?? double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? '';
}

/**
 * Converts the flag form of a template to the object of a request: `-e A=1 -p 8000:8000` becomes `{A: '1',
 * '-p 8000:8000': '1'}` (docs/service/renting.md#template-merge).
 */
export function envFromFlags(flags: string): EnvDict {
  const env: Record<string, string> = {};
  const words = splitWords(flags);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const joined = /^(?:-e|--env)=?(.+)$/s.exec(word)?.[1];
    const next = () => words[(index += 1)] ?? '';
    if (word === '-e' || word === '--env') {
      setPair(env, next());
    } else if (joined !== undefined && word.startsWith('-')) {
      setPair(env, joined);
    } else if (word === '-p' || word === '--publish') {
      env[`-p ${next()}`] = '1';
    } else if (/^-p\S+$/.test(word)) {
      env[`-p ${word.slice(2)}`] = '1';
    } else if (/^-{1,2}[A-Za-z-]+$/.test(word)) {
      env[`${word} ${next()}`] = '1';
    }
  }
  return env;
}

function setPair(env: Record<string, string>, pair: string): void {
  const equals = pair.indexOf('=');
  const name = equals < 0 ? pair : pair.slice(0, equals);
  if (name !== '') {
    env[name] = equals < 0 ? '' : pair.slice(equals + 1);
  }
}

/** `-p 8000:8000/udp` → `8000/udp`; `undefined` for a key that opens no port. */
export function containerPort(key: string): string | undefined {
  const match = /^-p\s+(?:\d{1,5}:)?(\d{1,5})(?:\/(tcp|udp))?$/.exec(key);
  return match ? `${match[1] ?? ''}/${match[2] ?? 'tcp'}` : undefined;
}

/** The variables alone, for the session in the machine. */
export function variablesOf(env: EnvDict): [string, string][] {
  return Object.entries(env).filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}
