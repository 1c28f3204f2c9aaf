import assert from 'node:assert/strict';
import { rentForJob } from '../../../../../src/jobs/ui/workspaceFile/rentForWorkspace';
import type { RentDraft } from '../../../../../src/model/rentals/rentDraft';
import type { OpenRecipe } from '../../../../../src/model/workspace/workspaceFile';
import { aTemplate } from '../../../../support/builders';
import { textsOn, useCommands, useScreen } from '../../../../support/onScreen';
import { only } from '../../../../support/only';
import { until } from '../../../../support/until';

interface Wanted {
  readonly hours?: number;
  readonly jobs?: number;
  readonly machines?: number;
  readonly recipe?: Partial<OpenRecipe>;
}

describe('The search for a machine of a job', () => {
  const screen = useScreen();
  const drafts: RentDraft[] = [];
  useCommands((id, [draft]) => {
    assert.equal(id, 'gpuRental.searchFor');
    drafts.push(draft as RentDraft);
    return Promise.resolve();
  });
  let templates = [aTemplate()];
  const client = { templates: { search: () => Promise.resolve({ items: templates }) } };
  const account: { active: object | undefined } = { active: { key: 'mine', client } };
  let signIns = 0;
  screen.commands.register('gpuRental.signIn', () => {
    signIns += 1;
  });

  async function search({
    hours = 1,
    jobs = 1,
    machines = 1,
    recipe,
  }: Wanted): Promise<RentDraft | undefined> {
    drafts.splice(0);
    const job = {
      order: { workspace: '/tmp', spec: { name: 'sweep', hours } },
      each: Array(jobs).fill({}),
      machines,
    };
    const given = recipe && { filters: {}, env: {}, whenRunning: 'ask', ...recipe };
    await rentForJob(only({ accounts: account, clock: { now: () => 0 } }), only({ job, recipe: given }));
    return drafts.at(-1);
  }
  const days = (draft: RentDraft | undefined) => draft?.query.filters['days'];

  const spans = [
    ['of an hour, with an hour more', { hours: 1 }, 0.09],
    ['of a day', { hours: 23 }, 1],
    ['of several in turn', { hours: 11.5, jobs: 2 }, 1],
    ['of several at once', { hours: 23, jobs: 2, machines: 2 }, 1],
    ['of more than there are machines', { hours: 11.5, jobs: 3, machines: 2 }, 1],
    ['where the file wants less', { hours: 23, recipe: { filters: { duration: { gte: 43_200 } } } }, 1],
    ['where the file wants more', { hours: 23, recipe: { filters: { duration: { gte: 604_800 } } } }, 7],
  ] as const;
  for (const [what, wanted, min] of spans) {
    it(`includes none whose rental ends before the job: ${what}`, async () => {
      assert.deepEqual(days(await search(wanted)), { min });
    });
  }

  it('keeps the other limits of the file', async () => {
    const filters = { duration: { lte: 777_600 }, num_gpus: { eq: 2 } };
    const draft = await search({ hours: 23, recipe: { filters, maxPricePerHour: 2 } });
    assert.deepEqual(days(draft), { min: 1, max: 9 });
    assert.deepEqual(draft?.query.filters['gpuCount'], { min: 2, max: 2 });
  });

  it('names the machine by the job, and is for as many as share it', async () => {
    const one = await search({});
    assert.deepEqual(
      [one?.title, one?.accountKey, one?.choices],
      ['Search Offers for sweep', 'mine', { label: 'sweep machine' }],
    );
    assert.deepEqual((await search({ machines: 2, jobs: 2 }))?.choices, { label: 'sweep machine', count: 2 });
  });

  it('has the image, disk, environment and script of the file', async () => {
    const recipe = { image: 'i', diskGb: 77, env: { A: 'b' }, onStart: 'echo' };
    const draft = await search({ recipe });
    assert.deepEqual(draft?.choices, {
      ...{ label: 'sweep machine', source: { kind: 'image', image: 'i' } },
      ...{ diskGb: 77, env: { A: 'b' }, onstart: 'echo' },
    });
    assert.equal(draft.query.diskGb, 77);
    assert.deepEqual((await search({ recipe: {} }))?.choices, { label: 'sweep machine' });
  });

  it('has the filters of the template, and those of the file before them', async () => {
    const raw = { extra_filters: JSON.stringify({ num_gpus: { eq: 1 }, cpu_ram: { gte: 8 } }) };
    templates = [aTemplate({ raw, hashId: 'hash-1' })];
    const template = { id: 77, hash: 'hash-1', name: 'Trainer' };
    const draft = await search({ recipe: { template, filters: { num_gpus: { eq: 2 } } } });
    assert.deepEqual(draft?.query.filters['gpuCount'], { min: 2, max: 2 });
    assert.ok(draft.query.filters['ramGb']);
    assert.equal(draft.choices?.source?.kind, 'template');
  });

  it('asks before it uses a template that was edited, and stops without a yes', async () => {
    templates = [aTemplate({ hashId: 'hash-2' })];
    const template = { id: 77, hash: 'hash-1', name: 'Trainer' };
    for (const isTaken of [false, true]) {
      textsOn(screen);
      const searched = search({ recipe: { template } });
      const question = await until('the question', () => screen.messages.shown[0]);
      assert.match(question.text, /The template Trainer was edited after/);
      if (isTaken) {
        question.press(question.buttons.find((one) => !/Not Now|Cancel/.test(one)) ?? '');
      } else {
        question.close();
      }
      assert.equal((await searched) !== undefined, isTaken);
    }
  });

  it('waits for a sign-in, and is not made without one', async () => {
    const { active } = account;
    account.active = undefined;
    assert.equal(await search({}), undefined);
    assert.equal(signIns, 1);
    account.active = active;
  });
});
