import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { PausedReplacements } from '../../../../src/features/readiness/pausedReplacements';
import { reportReplacement, reportTemplateChanged } from '../../../../src/features/readiness/replacing';
import { fromDollars } from '../../../../src/model/money';
import type { Template } from '../../../../src/model/templates/template';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { Emitter } from '../../../../src/util/emitter';
import { CancelledError, UserError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { text } from '../../../../src/util/text';
import { anOffer } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';
import { textsOn, useCommands, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The message about a replacement', () => {
  const screen = useScreen();
  const ran: string[] = [];
  const run = (id: string, args: readonly unknown[]) => {
    ran.push([id, ...args.map((one) => JSON.stringify(one))].join(' '));
    return Promise.resolve(undefined);
  };
  useCommands(run);
  for (const id of ['gpuRental.searchOffers', 'gpuRental.instance.destroy']) {
    screen.commands.ofEditor.set(id, (...args) => run(id, args));
  }
  const said = (result: object) => {
    reportReplacement(only(result), 7, 'trainer');
    return textsOn(screen);
  };
  const pressed = async (button: string) => {
    const { shown } = screen.messages;
    shown.at(-1)?.press(button);
    await setImmediate();
    for (const one of [...shown]) {
      one.close();
    }
    textsOn(screen);
    return ran.splice(0);
  };
  const rented = { kind: 'replaced', rent: { kind: 'rented' }, pricePerHour: fromDollars(0.5), misfits: [] };

  it('is where the machine is destroyed and another one is rented, with its price and what does not fit', () => {
    const misfits = [text('Its disk is smaller.'), text('It is elsewhere.')];
    const cases = [
      rented,
      { ...rented, pricePerHour: undefined },
      { ...rented, misfits },
      { ...rented, rent: { kind: 'unknown' }, misfits },
      { ...rented, log: 'out of memory' },
    ];
    assert.deepEqual(cases.flatMap(said), [
      'info trainer is destroyed, and another machine is rented instead for $0.500/h. []',
      'info trainer is destroyed, and another machine is rented instead for ?/h. []',
      'warning trainer is destroyed, and another machine is rented instead for $0.500/h. Its disk is smaller. []',
      'warning trainer is destroyed. The service did not answer, so another instance may have been rented. Checking your instances… []',
      'info trainer is destroyed, and another machine is rented instead for $0.500/h. [Show Its Last Log]',
    ]);
  });

  it('is why it was not replaced', () => {
    const cases = [
      { kind: 'notNeeded', isRunning: true },
      { kind: 'notNeeded', isRunning: false },
      { kind: 'noOffer' },
      { kind: 'notDestroyed' },
      { kind: 'elsewhere' },
      { kind: 'replacedBefore' },
    ];
    assert.deepEqual(cases.flatMap(said), [
      'info trainer is now running, so it was not replaced. []',
      'info The state of trainer has changed, so it was not replaced. []',
      'warning No other offer matches the same search within the price limit. trainer was not replaced and still costs money. [Search Offers…, Destroy…]',
      'warning The service has not confirmed that trainer is destroyed. A message appears if it remains. [Show Instances]',
      'warning No replacement for trainer was rented, so you do not pay for two instances. []',
      'info trainer is already being replaced. []',
      'info trainer has already been replaced, so nothing was rented. []',
    ]);
  });

  it('is why nothing was rented once it is destroyed', () => {
    const cases = [
      { kind: 'destroyedOnly' },
      { kind: 'destroyedOnly', error: new CancelledError() },
      { kind: 'destroyedOnly', error: new UserError(text('Your credit is used up.')) },
      { kind: 'destroyedOnly', error: new Error('odd') },
      {
        kind: 'destroyedOnly',
        error: new UserError(text('No credit.'), { nextStep: 'openConsole', consolePage: 'credit' }),
      },
    ];
    const nothing = 'warning trainer is destroyed, and nothing was rented in its place.';
    assert.deepEqual(cases.flatMap(said), [
      `${nothing} The offers that matched are no longer available. [Search Offers…]`,
      `${nothing} You stopped it before that. [Search Offers…]`,
      `${nothing} Your credit is used up. [Search Offers…]`,
      `${nothing} See the log for details. [Search Offers…]`,
      `${nothing} No credit. [Add Credit, Search Offers…]`,
    ]);
  });

  it('leads on', async () => {
    said({ ...rented, log: 'out of memory' });
    assert.deepEqual(await pressed('Show Its Last Log'), [
      'gpuRental.showText {"title":"trainer.log","content":"out of memory"}',
    ]);
    for (const result of [{ kind: 'noOffer' }, { kind: 'destroyedOnly' }]) {
      said(result);
      assert.deepEqual(await pressed('Search Offers…'), ['gpuRental.searchOffers']);
    }
    said({ kind: 'noOffer' });
    assert.deepEqual(await pressed('Destroy…'), ['gpuRental.instance.destroy {"instanceId":7}']);
  });

  it('is that its template has changed, with the way to the version of now', async () => {
    const replaced: string[] = [];
    const changed = (template?: Partial<Template>) =>
      reportTemplateChanged(template as Template | undefined, 7, 'trainer', (hash) => {
        replaced.push(hash);
        return Promise.resolve();
      });
    const end = changed({ name: 'PyTorch', hashId: 'abc' });
    assert.deepEqual(textsOn(screen), [
      'warning The template PyTorch was edited after trainer was rented, so nothing was replaced. Storage still costs money. [Replace, with the Current Version, Destroy…]',
    ]);
    assert.deepEqual(await pressed('Replace, with the Current Version'), []);
    await end;
    assert.deepEqual(replaced, ['abc']);
    const gone = changed();
    assert.deepEqual(textsOn(screen), [
      'warning The template of trainer was changed or deleted, so nothing was replaced. Storage still costs money. [Search Offers…, Destroy…]',
    ]);
    assert.deepEqual(await pressed('Search Offers…'), ['gpuRental.searchOffers']);
    await gone;
    const destroyed = changed();
    assert.deepEqual(await pressed('Destroy…'), ['gpuRental.instance.destroy {"instanceId":7}']);
    await destroyed;
    assert.deepEqual(replaced, ['abc']);
  });
});

const minute = 60_000;

describe('The pause before a replacement', () => {
  for (const hours of [-5, 0]) {
    it(`is over in time where the clock is set by ${hours} h`, async () => {
      const clock = new FakeClock();
      const changed = new Emitter<void>();
      const rental: Rental = {
        marker: 'aaaaaaaa',
        accountKey: 'a',
        windowId: 'gone',
        requestedAt: clock.now(),
        offer: anOffer(),
        config: { image: 'i' },
        rentalType: 'on-demand',
        priceLimit: fromDollars(1),
        phase: { kind: 'failed', instanceId: 7, at: clock.now(), reason: 'exited' },
        replaceAt: clock.now() + minute,
      };
      const rentals = {
        rentals: [rental],
        onDidChange: changed.event,
        update: (_: string, change: Partial<Rental>) => {
          Object.assign(rental, change);
          return Promise.resolve(rental);
        },
      };
      const begun: number[] = [];
      const report = { error: (error: unknown) => assert.fail(String(error)) };
      const paused = new PausedReplacements(
        only({ rentals, hub: new FakeHubs().open(), clock, log: silentLog, report }),
        () => {
          begun.push(clock.elapsed());
          return Promise.resolve();
        },
      );
      await clock.advance(minute / 2);
      clock.jump(hours * 60 * minute);
      // Some other rental changes, or a window that was just opened looks for the first time.
      changed.fire();
      await clock.advance(10 * minute);
      assert.equal(begun.length, 1);
      assert.ok((begun[0] ?? 0) <= (hours === 0 ? minute : 6 * minute), String(begun[0]));
      paused.dispose();
    });
  }
});
