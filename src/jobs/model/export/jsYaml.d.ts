/** The part of js-yaml 4 that the product uses; the package has no types of its own. */
declare module 'js-yaml' {
  export interface YamlType {
    readonly tag: string;
  }
  export const Type: new (
    tag: string,
    options: { readonly kind: 'scalar'; readonly resolve: (value: unknown) => boolean },
  ) => YamlType;
  export interface Schema {
    extend(more: { readonly implicit: readonly YamlType[] }): Schema;
  }
  export const DEFAULT_SCHEMA: Schema;
  export class YAMLException extends Error {
    readonly reason: string;
    readonly mark?: { readonly line: number };
  }
  export function load(source: string, options?: { readonly schema?: Schema }): unknown;
  export function dump(
    value: unknown,
    options: {
      readonly schema: Schema;
      readonly lineWidth: number;
      readonly noRefs: boolean;
      readonly quotingType: '"';
    },
  ): string;
}
