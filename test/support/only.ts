/**
 * A part of `T`: any member may be left out, at every depth, and a text may be any text. What is there has a name that
 * `T` knows, and answers what `T` answers, or nothing.
 */
export type Part<T> = T extends string
  ? string
  : T extends boolean
    ? boolean
    : T extends (...args: never[]) => infer Answer
      ? (...args: never[]) => PartOfAnswer<Answer>
      : T extends PromiseLike<infer Value>
        ? PromiseLike<PartOfAnswer<Value>>
        : T extends readonly (infer Item)[]
          ? readonly Part<Item>[]
          : T extends object
            ? { readonly [Name in keyof T]?: Part<T[Name]> | undefined }
            : T;

/** The source reads no answer that is void. */
type PartOfAnswer<Answer> = (() => void) extends () => Answer ? unknown : Part<Answer> | undefined;

/** Represents a whole of which the source under test needs only this part. */
export function only<T>(part: NoInfer<Part<T>>): T {
  return part as T;
}
