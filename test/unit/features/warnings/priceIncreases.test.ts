import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { NotFoundError, TimedOutError } from '../../../../src/api/errors';
import { reviewPriceIncreases, warnPriceIncrease } from '../../../../src/features/warnings/priceIncreases';
import type { PriceIncrease } from '../../../../src/model/instances/priceIncrease';
import { fromDollars } from '../../../../src/model/money';
import { anInstance } from '../../../support/builders';
import { FakeQuickPick, rowText } from '../../../support/fakeEditor/quickInput';
import { textsOn, useScreen } from '../../../support/onScreen';

type Deps = Parameters<typeof reviewPriceIncreases>[0];

describe('A host that asks for a higher price', () => {
  const screen = useScreen();
  const now = new Date(2026, 0, 15, 12).getTime();
  const risen: PriceIncrease = {
    ...{ id: 1, instanceId: 7, currentPrice: fromDollars(0.4), newPrice: fromDollars(0.5) },
    deadline: now / 1000 + 3600,
  };
  let lists: readonly (() => { readonly items: readonly PriceIncrease[]; readonly skipped: number })[] = [];
  let answer: () => void = () => undefined;
  const sent: string[] = [];
  const send = (verb: string) => (id: number) => {
    sent.push(`${verb} ${id}`);
    return Promise.resolve().then(() => answer());
  };
  const priceIncreases = {
    list: () => {
      const [next = () => ({ items: [], skipped: 0 }), ...rest] = lists;
      lists = rest.length > 0 ? rest : [next];
      return Promise.resolve().then(next);
    },
    accept: send('accept'),
    reject: send('reject'),
  };
  const deps = {
    accounts: { active: { key: 'mine', client: { priceIncreases } } },
    clock: { now: () => now },
    fleet: {
      find: (id: number) => (id === 7 ? anInstance({ id, label: 'trainer' }) : undefined),
      refresh: () => Promise.resolve(),
    },
    log: { warn: () => undefined },
    settings: { get: () => 0 },
  } as unknown as Deps;
  const page =
    (...items: readonly PriceIncrease[]) =>
    () => ({ items, skipped: 0 });
  const flush = async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      await setImmediate();
    }
  };
  const warned = async (...pages: typeof lists) => {
    lists = pages;
    await warnPriceIncrease(deps, 1);
    await flush();
    const said = textsOn(screen);
    for (const one of [...screen.messages.shown]) {
      one.close();
    }
    return said;
  };

  beforeEach(() => {
    answer = () => undefined;
  });

  it('is shown with both prices and the time to answer, and no acceptance of a price that is not stated', async () => {
    assert.deepEqual(await warned(page(risen, { ...risen, id: 2 })), [
      'warning The host of trainer asks for a higher price: $0.400/h now, $0.500/h if you accept. Answer before 1:00 PM. [Accept, Reject]',
    ]);
    assert.deepEqual(await warned(page({ id: 1 })), [
      'warning The host of #? asks for a higher price: a price that the service does not state now, a price that the service does not state if you accept. [Reject]',
    ]);
    assert.deepEqual(await warned(page({ ...risen, id: 2 })), []);
    const broken = () => {
      throw new Error('x');
    };
    assert.deepEqual(await warned(broken), [
      'warning A host asks for a higher price, which could not be read. [Review Price Increases…]',
    ]);
  });

  /** Picks a row of the list, and presses a button of the question. */
  const review = async (row: string, button: string, ...pages: typeof lists) => {
    lists = pages;
    sent.length = 0;
    let failure: unknown;
    const end = reviewPriceIncreases(deps).catch((error: unknown) => (failure = error));
    await flush();
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    const picked = current.visible().find((one) => rowText(one).startsWith(row));
    assert.equal(picked?.label.startsWith(row === 'Accept' ? '$(check) ' : '$(close) '), true);
    assert.ok(picked, current.visible().map(rowText).join('\n'));
    current.move(picked);
    current.accept();
    await flush();
    const question = screen.messages.shown.at(-1);
    question?.press(button);
    await flush();
    const asked = screen.messages.shown.filter(({ modal }) => modal).map(({ text }) => text);
    for (const one of [...screen.messages.shown]) {
      one.close();
    }
    await end;
    const said = textsOn(screen).filter((line) => !line.startsWith('progress'));
    return [
      ...said,
      ...asked.map((text) => `asked again: ${text}`),
      ...sent,
      ...(failure instanceof Error ? [failure.message] : []),
    ];
  };

  it('is answered once the question shows what the answer costs', async () => {
    assert.deepEqual(await review('Accept', 'Accept', page(risen)), [
      'warning dialog Pay more for “trainer”? // GPU price: $0.400/h now, $0.500/h if you accept.\n\nThat adds $2.40/day while the instance runs. [Not Now, Accept, Cancel]',
      'info The price of trainer rises to $0.500/h. []',
      'accept 1',
    ]);
    assert.deepEqual(await review('Reject', 'Reject', page({ ...risen, instanceId: 9 })), [
      'warning dialog Reject the higher price of “#9”? // GPU price: $0.400/h now, $0.500/h if you accept.\n\nThe service does not say what the host does next. Save what you need. [Not Now, Reject, Cancel]',
      'info The higher price of #9 is rejected. []',
      'reject 1',
    ]);
    assert.deepEqual((await review('Accept', 'Not Now', page(risen))).slice(1), []);
  });

  it('is asked again if the price has changed, and not answered if it is no longer open', async () => {
    const dearer = { ...risen, newPrice: fromDollars(0.6) };
    assert.deepEqual((await review('Accept', 'Accept', page(risen), page(dearer))).slice(2), [
      'asked again: Pay more for “trainer”?',
    ]);
    assert.deepEqual((await review('Accept', 'Accept', page(risen), page())).slice(1), [
      'This price increase is no longer pending. Check the price of the instance.',
    ]);
    answer = () => {
      throw new NotFoundError();
    };
    assert.deepEqual((await review('Accept', 'Accept', page(risen))).slice(1), [
      'accept 1',
      'This price increase is no longer pending. Check the price of the instance.',
    ]);
  });

  it('counts as answered after a lost answer only where a whole list no longer has it', async () => {
    answer = () => {
      throw new TimedOutError({ isWrite: true });
    };
    assert.deepEqual((await review('Reject', 'Reject', page(risen), page(risen), page())).slice(1), [
      'info The higher price of trainer is rejected. []',
      'reject 1',
    ]);
    assert.deepEqual((await review('Reject', 'Reject', page(risen))).slice(1), [
      'reject 1',
      'The service did not answer in time, so the request may have taken effect. Check before you try again.',
    ]);
    const partly = () => ({ items: [], skipped: 1 });
    assert.deepEqual((await review('Reject', 'Reject', page(risen), page(risen), partly)).slice(1), [
      'reject 1',
      'The service did not confirm your answer about the price of trainer. Check its price before you answer again.',
    ]);
  });
});
