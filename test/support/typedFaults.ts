/**
 * One fault for each rule that needs types, by the rule's name. They are text, because the linter reads each of them as
 * a file of its own.
 */
export const typedFaults: Readonly<Record<string, string>> = {
  'await-thenable': 'export async function run() { await 1; }',
  'no-array-delete': 'export const run = (list: number[]) => { delete list[0]; };',
  'no-base-to-string': 'export const run = (value: { a: number }) => `${value}` + String(value);',
  'no-confusing-void-expression':
    'declare function act(): void;\nexport const run = () => { const value = act(); return [value]; };',
  'no-deprecated': '/** @deprecated */\ndeclare function old(): number;\nexport const value = old();',
  'no-duplicate-type-constituents': 'export type Both = string | string;',
  'no-floating-promises': 'declare function act(): Promise<void>;\nexport const run = () => { act(); };',
  'no-for-in-array':
    'export const run = (list: number[]) => { for (const index in list) console.log(index); };',
  'no-generated-empty-object-type': 'export type Left = Omit<{ a: number }, "a">;',
  'no-implied-eval': 'setTimeout("run()", 10);\nexport {};',
  'no-meaningless-void-operator': 'declare function act(): void;\nvoid act();\nexport {};',
  'no-misused-promises':
    'declare function act(): Promise<boolean>;\nexport const run = () => (act() ? 1 : 2);',
  'no-misused-spread': 'declare const map: Map<string, number>;\nexport const copy = { ...map };',
  'no-mixed-enums': 'export enum Mixed { A = 1, B = "b" }',
  'no-redundant-type-constituents': 'export type All = unknown | string;',
  'no-unnecessary-boolean-literal-compare': 'export const run = (is: boolean) => (is === true ? 1 : 2);',
  'no-unnecessary-condition': 'export const run = (text: string) => text?.length ?? 0;',
  'no-unnecessary-template-expression': 'export const run = (text: string) => `${text}`;',
  'no-unnecessary-type-arguments':
    'declare function make<T = number>(value?: T): T;\nexport const value = make<number>();',
  'no-unnecessary-type-assertion': 'export const run = (text: string) => text as string;',
  'no-unnecessary-type-conversion': 'export const run = (text: string) => String(text);',
  'no-unnecessary-type-parameters': 'export function run<T>(value: T): void { console.log(value); }',
  'no-unsafe-argument':
    'declare const value: any;\ndeclare function take(text: string): void;\ntake(value);\nexport {};',
  'no-unsafe-assignment': 'declare const value: any;\nexport const copy = value;',
  'no-unsafe-call': 'declare const value: any;\nvalue();\nexport {};',
  'no-unsafe-enum-assignment':
    'enum Colour { Red = 1 }\nexport const run = (): Colour => { const one: Colour = 1; return one; };',
  'no-unsafe-enum-comparison': 'enum Colour { Red = 1 }\nexport const run = (one: Colour) => one === 1;',
  'no-unsafe-member-access': 'declare const value: any;\nconsole.log(value.name);\nexport {};',
  'no-unsafe-return': 'declare const value: any;\nexport const run = (): number => value;',
  'no-unsafe-unary-minus': 'export const run = (text: string) => -text;',
  'no-useless-default-assignment': 'export const run = ({ a = 1 }: { a: number }) => a;',
  'only-throw-error': 'export const run = () => { throw "text"; };',
  'prefer-promise-reject-errors': 'export const run = () => Promise.reject("text");',
  'prefer-reduce-type-parameter':
    'export const run = (list: string[]) => list.reduce((all, one) => [...all, one], [] as string[]);',
  'prefer-return-this-type': 'export class Chain { add(): Chain { return this; } }',
  'related-getter-setter-pairs': 'export interface Box { get value(): string; set value(value: number); }',
  'require-await': 'export async function run() { return 1; }',
  'restrict-plus-operands': 'export const run = (text: string, count: number) => text + count;',
  'restrict-template-expressions': 'export const run = (list: string[]) => `${list}`;',
  'return-await':
    'declare function act(): Promise<number>;\nexport async function run() { try { return act(); } catch { return 1; } }',
  'switch-exhaustiveness-check':
    'export const run = (kind: "a" | "b") => { switch (kind) { case "a": console.log(kind); } };',
  'unbound-method':
    'export class Bell { private count = 0; ring() { this.count += 1; } }\nexport const ring = new Bell().ring;',
  'use-unknown-in-catch-callback-variable':
    'export const run = (work: Promise<void>) => work.catch((error: Error) => { console.log(error.message); });',
};
