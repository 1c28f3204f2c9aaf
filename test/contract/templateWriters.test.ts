import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readEnv } from '../../src/model/documents/envObject';
import { isPlainObject } from '../../src/model/templates/templateDocument';
import { TemplateConflictError } from '../../src/store/templates/templateErrors';
import { sized } from '../support/seeded';
import { changeText, useTemplateScene, type TemplateScene } from '../support/templateScene';
import type { TemplateWindow } from '../support/templateWindow';

const fields = ['desc', 'tag', 'onstart', 'readme', 'env.A', 'env.B'] as const;
type Field = (typeof fields)[number];

interface Save {
  readonly answer: 'useMine' | 'useTheirs' | 'merge';
  /** Where the user types on before the editor shows what the save made of the text. */
  readonly typesOn: Field | undefined;
}

/** One thing that happens, to one of two windows or at the service. */
type Step =
  | { readonly kind: 'type'; readonly window: 0 | 1; readonly field: Field }
  | (Save & { readonly kind: 'save'; readonly window: 0 | 1 })
  | { readonly kind: 'elsewhere'; readonly field: Field };

const window = fc.constantFrom(0 as const, 1 as const);
const field = fc.constantFrom(...fields);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('type' as const), window, field }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('save' as const),
      window,
      answer: fc.constantFrom('useMine' as const, 'useTheirs' as const, 'merge' as const),
      typesOn: fc.option(field, { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('elsewhere' as const), field }) },
);

type Values = Readonly<Record<Field, string | undefined>>;

function valuesOf(document: Readonly<Record<string, unknown>>): Values {
  const env = readEnv(document['env']);
  const variables = isPlainObject(env) ? env : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    desc: text(document['desc']),
    tag: text(document['tag']),
    onstart: text(document['onstart']),
    readme: text(document['readme']),
    'env.A': text(variables['A']),
    'env.B': text(variables['B']),
  };
}

/** A window as its user sees it. */
class Writer {
  /** What is on the screen. */
  private text = '';
  /** Every value that was on the screen, in the document or beside it: only these may be replaced. */
  readonly seen = new Set<unknown>();

  constructor(
    readonly window: TemplateWindow,
    private readonly scene: TemplateScene,
  ) {
    window.documents.onDidChange(() => {
      assert.ok(!this.wasEdited, 'the text changed under the user');
      this.show(window.documents.peek(scene.id)?.text ?? '');
    });
  }

  get values(): Values {
    return valuesOf(JSON.parse(this.text) as Record<string, unknown>);
  }

  get wasEdited(): boolean {
    return this.window.dirty.has(this.scene.id);
  }

  async open(): Promise<void> {
    this.show((await this.window.documents.open(this.scene.id))?.text ?? '');
  }

  async type(name: Field, value: string): Promise<void> {
    const { id } = this.scene;
    const env = JSON.parse(this.text) as { env: Record<string, string> };
    this.show(
      name.startsWith('env.')
        ? changeText(this.text, { env: { ...env.env, [name.slice('env.'.length)]: value } })
        : changeText(this.text, { [name]: value }),
    );
    if (!this.window.dirty.has(id)) {
      this.window.dirty.add(id);
      await this.window.documents.keepBase(id);
    }
  }

  /** Saves, and answers the question of a conflict until the document is saved. */
  async save({ answer, typesOn }: Save): Promise<void> {
    const { documents } = this.window;
    const { id } = this.scene;
    for (;;) {
      try {
        await documents.save(id, this.text);
        break;
      } catch (error) {
        assert.ok(error instanceof TemplateConflictError, String(error));
        // Each disputed place is shown with what it holds there.
        for (const { theirs } of documents.conflict(id)?.conflicts ?? []) {
          this.seen.add(theirs);
        }
        if (answer === 'useMine') {
          documents.useMine(id);
        } else if (answer === 'useTheirs') {
          this.show(documents.useTheirs(id) ?? '');
        } else {
          this.show(documents.merge(id, this.text)?.text ?? '');
          documents.useTheirs(id);
        }
      }
    }
    this.window.dirty.delete(id);
    if (typesOn) {
      await this.type(typesOn, fresh());
    }
    await documents.reveal(id);
    if (typesOn) {
      return;
    }
    await documents.settle(id);
    this.show(documents.peek(id)?.text ?? '');
  }

  private show(text: string): void {
    this.text = text;
    for (const value of Object.values(this.values)) {
      this.seen.add(value);
    }
  }
}

describe('two windows and another user who edit the same template', () => {
  const scene = useTemplateScene({
    name: 'Shared',
    image: 'a/b:1',
    desc: 'd0',
    tag: 't0',
    onstart: 'o0',
    readme: 'r0',
    env: '-e A=a0 -e B=b0',
    private: true,
  });

  it('never lose an edit that its replacer has not seen, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const writers = [
          new Writer(await scene().computer.openWindow(), scene()),
          new Writer(await scene().computer.openWindow(), scene()),
        ] as const;
        for (const writer of writers) {
          await writer.open();
        }
        for (const one of steps) {
          if (one.kind === 'type') {
            await writers[one.window].type(one.field, fresh());
          } else if (one.kind === 'elsewhere') {
            await editElsewhere(scene(), one.field, fresh());
          } else {
            await saveAndCheck(scene(), writers[one.window], one);
          }
        }
      }),
      { numRuns: sized(15, 200) },
    );
  });
});

let count = 0;

/** A value that was never there. */
function fresh(): string {
  return `value-${++count}`;
}

async function editElsewhere(scene: TemplateScene, name: Field, value: string): Promise<void> {
  if (!name.startsWith('env.')) {
    return scene.editElsewhere({ [name]: value });
  }
  const { 'env.A': a, 'env.B': b }: Values = { ...valuesOf(await scene.record()), [name]: value };
  return scene.editElsewhere({ env: `-e A=${a ?? ''} -e B=${b ?? ''}` });
}

async function saveAndCheck(scene: TemplateScene, writer: Writer, save: Save): Promise<void> {
  const before = valuesOf(await scene.record());
  const mine = writer.values;
  const known = new Set(writer.seen);
  const { wasEdited } = writer;
  await writer.save(save);
  const after = valuesOf(await scene.record());
  for (const name of fields) {
    if (after[name] !== before[name]) {
      assert.equal(after[name], mine[name], `${name} became what nobody wrote`);
      assert.ok(
        known.has(before[name]) || writer.seen.has(before[name]),
        `${name}: ${before[name] ?? ''} was replaced unseen`,
      );
    }
  }
  // What is shown afterwards is what the service has; without an edit nothing is asked.
  if (wasEdited && !save.typesOn) {
    assert.deepEqual(writer.values, after);
  }
}
