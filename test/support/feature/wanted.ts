/** A part of a text, or a pattern in it. */
export type Wanted = string | RegExp;

export function fits(text: string, wanted: Wanted): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
