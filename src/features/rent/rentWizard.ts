import { isPerson, type Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import type { StepAnswer } from '../../editor/quickPick';
import { spendable } from '../../model/accounts/account';
import { budgetState, type BudgetNow } from '../../model/budget/budget';
import { usualMachine } from '../../model/fit/usualMachine';
import { formatMoney, fromDollars } from '../../model/money';
import type { Filters } from '../../model/offers/searchFields';
import { perHour, type Rate } from '../../model/quote';
import { AcceptGuard } from '../../model/rentals/acceptGuard';
import { confirmation, type ConfirmationInput } from '../../model/rentals/confirmation';
import { searchLimit } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/rentFacts';
import type { RentFlow } from '../../model/rentals/rentFlow';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { burnSoon } from '../../store/instances/burn';
import { isCurrent } from '../../store/instances/listed';
import { endOfSettings, LastRental } from '../../store/rentals/lastRental';
import { machinesRented } from '../../store/rentals/machinesRented';
import { assertNever } from '../../util/errors';
import { confirmStep, type Confirmed, type ConfirmNotice } from './confirmStep';
import { optionsStep } from './optionSteps';
import {
  askEnd,
  askStay,
  bidStep,
  diskStep,
  labelStep,
  runtypeStep,
  sourceStep,
  type StepDeps,
  type StepResult,
} from './rentSteps';
import { Renting, type ConfirmedRental, type RentingEnd } from './renting';

export type WizardDeps = Pick<
  Services,
  | 'accounts'
  | 'budget'
  | 'fleet'
  | 'volumes'
  | 'rentals'
  | 'globalState'
  | 'clock'
  | 'settings'
  | 'report'
  | 'log'
>;

export type WizardEnd =
  | Extract<RentingEnd, { readonly kind: 'rented' }>
  /** Returns to the offers, which are outdated if one of them is gone. */
  | { readonly kind: 'back'; readonly isOutdated?: boolean }
  /** Shows only offers that fit the choices, which are kept. */
  | { readonly kind: 'narrowed'; readonly filters: Filters }
  | { readonly kind: 'cancelled' };

/** Runs the steps from an offer to a rental; Back at the first step returns to the offers. */
export async function rentOffer(
  flow: RentFlow,
  deps: WizardDeps & { readonly account: Account },
  steps: StepDeps,
): Promise<WizardEnd> {
  const guard = new AcceptGuard(deps.clock);
  try {
    return await new RentWizard(flow, deps, steps, guard).run();
  } finally {
    guard.dispose();
  }
}

class RentWizard {
  private notice: ConfirmNotice | undefined;
  private readonly renting: Renting;
  private readonly rents: LastRental;
  private reading: Promise<void> | undefined;
  private mayWait = true;

  constructor(
    private readonly flow: RentFlow,
    private readonly deps: WizardDeps & { readonly account: Account },
    private readonly steps: StepDeps,
    private readonly guard: AcceptGuard,
  ) {
    this.renting = new Renting(flow, deps);
    this.rents = new LastRental(deps.globalState);
  }

  async run(): Promise<WizardEnd> {
    void this.readInstances();
    for (;;) {
      const { step } = this.flow;
      if (step === 'confirm') {
        const end = await this.confirm();
        if (end) {
          return end;
        }
        continue;
      }
      const answer = await this.ask(step);
      this.guard.note();
      if (answer.kind === 'cancelled') {
        return answer;
      }
      if (answer.kind === 'back') {
        if (!this.flow.back()) {
          return answer;
        }
      } else if (answer.kind === 'skip') {
        this.flow.toConfirmation();
      } else {
        this.apply(answer.value);
        this.flow.next();
      }
    }
  }

  private apply({ set, unset }: StepResult): void {
    if (unset) {
      this.flow.unset(...unset);
    }
    if (set) {
      this.flow.set(set);
    }
  }

  private ask(step: Exclude<RentFlow['step'], 'confirm'>): Promise<StepAnswer<StepResult>> {
    const { flow } = this;
    switch (step) {
      case 'source':
        return sourceStep(flow, this.steps);
      case 'disk':
        return diskStep(flow);
      case 'label':
        return labelStep(flow);
      case 'runtype':
        return runtypeStep(flow);
      case 'bid':
        return bidStep(flow);
      case 'options':
        return optionsStep(flow, this.steps);
      default:
        return assertNever(step);
    }
  }

  /** Returns false if the user cancels the wait. It is then not shown again, and the sum is partial. */
  private async waitForInstances(): Promise<boolean> {
    if (this.mayWait) {
      await whileReadingInstances(this.readInstances()).catch(() => {
        this.mayWait = false;
      });
      return this.mayWait;
    }
    return true;
  }

  /** Returns whether a current list shows more about the price limit than the confirmation that the user accepted. */
  private async isLimitNews(seen: ConfirmationInput): Promise<boolean> {
    if (seen.limitPerHour === undefined) {
      return false;
    }
    if (!(await this.waitForInstances())) {
      return true;
    }
    const [before, now] = [limitWarning(seen), limitWarning(this.input(seen.budget))];
    return before !== 'limit' && now !== undefined && now !== before;
  }

  /** Reads an outdated list, because the price limit is for all instances. */
  private readInstances(): Promise<void> {
    const { fleet, clock, log } = this.deps;
    if (isCurrent(fleet.state, clock.now())) {
      return Promise.resolve();
    }
    this.reading ??= fleet
      .refresh()
      .catch((error: unknown) => {
        log.warn(`The instances could not be read before a rental: ${String(error)}`);
      })
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }

  private input(budget: BudgetNow | undefined): ConfirmationInput {
    const { flow, deps } = this;
    const { active } = deps.accounts;
    // The account of the search, as last read; another one may be active now.
    const { user } = active?.key === deps.account.key ? active : deps.account;
    const credit = spendable(user);
    const burn = burnSoon(deps);
    const limit = deps.settings.get('gpuRental.rent.limitPerHour');
    return {
      offer: flow.offer,
      choices: flow.choices,
      rentalType: flow.query.rentalType,
      searchedDiskGb: this.renting.searchedDiskGb,
      stay: this.rents.stay,
      isOrdered: flow.draft.order !== undefined,
      running: burn.rate,
      isRunningPartial: burn.isPartial,
      isRunningEarly: burn.isEarly,
      credit,
      limitPerHour: limit > 0 ? fromDollars(limit) : undefined,
      replaceLimit: searchLimit(flow.query),
      usual: usualMachine(machinesRented(deps.rentals, deps.account.key)),
      budget,
    };
  }

  /** Shows the confirmation once; returns `undefined` if the wizard continues. */
  private async confirm(): Promise<WizardEnd | undefined> {
    await this.waitForInstances();
    const budget = await this.deps.budget.current();
    const input = this.input(budget);
    const answer: StepAnswer<Confirmed> = await confirmStep(this.flow, input, this.guard, this.notice);
    this.notice = undefined;
    switch (answer.kind) {
      case 'cancelled':
        return answer;
      case 'back':
      case 'skip':
        return this.flow.back() ? undefined : { kind: 'back' };
      case 'picked':
        break;
    }
    const { value } = answer;
    switch (value.kind) {
      case 'open':
        this.flow.open(value.step);
        return undefined;
      case 'stay':
        await askStay(this.rents, this.flow);
        return undefined;
      case 'end':
        await this.changeEnd();
        return undefined;
      case 'fit':
        return { kind: 'narrowed', filters: value.filters };
      case 'sshDirect':
        this.flow.set({ runtype: 'ssh_direct' });
        return undefined;
      case 'rent':
        if (await this.isLimitNews(input)) {
          return undefined;
        }
        return (await isPerson(this.finalQuestion(confirmation(input).total)))
          ? this.rent({ rate: value.rate, acceptsOverrun: budgetState(budget) !== 'within' })
          : undefined;
    }
  }

  private async changeEnd(): Promise<void> {
    const { flow, deps } = this;
    const { end = endOfSettings(deps.settings) } = flow.choices;
    const chosen = await askEnd(flow);
    if (chosen) {
      flow.set({ end: { ...end, ...chosen } });
      await this.rents.keepEnd(deps.account.key, chosen, endOfSettings(deps.settings));
    }
  }

  /** `total`: of all machines, with new volumes. */
  private finalQuestion(total: Rate | undefined): Question {
    const { offer, choices } = this.flow;
    const copies = choices.count ?? 1;
    const name = machineName(offer);
    return {
      message: copies > 1 ? t('Rent {0} machines like {1}?', copies, name) : t('Rent {0}?', name),
      button:
        total === undefined
          ? t('Rent without a Stated Price')
          : t('Rent for {0}/h', formatMoney(perHour(total))),
    };
  }

  /** Rents after the confirmation. Returns to it with a notice if the confirmed facts have changed. */
  private async rent(confirmed: ConfirmedRental): Promise<WizardEnd | undefined> {
    const end = await this.renting.rent(confirmed);
    switch (end.kind) {
      case 'rented':
        return end;
      case 'noneLeft':
        message('warning', t('{0} Nothing was rented. Change the filters.', end.notice.reason));
        return { kind: 'back', isOutdated: true };
      case 'again':
        this.notice = end.notice;
        return undefined;
    }
  }
}

/** Returns what a confirmation warns of: that the price limit is exceeded, or that it may be. */
function limitWarning(input: ConfirmationInput): 'limit' | 'limitUnknown' | undefined {
  return confirmation(input)
    .warnings.map(({ id }) => id)
    .find((id) => id === 'limit' || id === 'limitUnknown');
}
