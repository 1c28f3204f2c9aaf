import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { GoneError, NotFoundError } from '../../api/errors';
import { runCommand } from '../../editor/commands';
import { localize } from '../../editor/localize';
import { plainLabel, type Answer } from '../../editor/quickPick';
import { AcceptGuard } from '../../model/rentals/acceptGuard';
import { machineName, type ConfirmationInput } from '../../model/rentals/confirmation';
import { wireSearch } from '../../model/offers/marketSearch';
import { formatMoney, fromDollars, zero } from '../../model/money';
import type { Offer } from '../../model/offers/offer';
import { perHour, type Rate } from '../../model/quote';
import { RentFlow, type RentStart } from '../../model/rentals/rentFlow';
import { defaultBid, planRent } from '../../model/rentals/rentPlan';
import type { Services } from '../../services';
import { burnNow } from '../../store/instances/burn';
import type { Account } from '../../store/ports';
import type { RentResult } from '../../store/rentals/rentals';
import { assertNever, isCancelled, UserError } from '../../util/errors';
import { confirmStep, type Confirmed, type Notice } from './confirmStep';
import { optionsStep } from './optionSteps';
import { findCopy, nextBest, recheckOffer, rentalQuery, rentalSearch } from './recheck';
import { RentMemory } from './rentMemory';
import {
  askStay,
  bidStep,
  diskStep,
  labelStep,
  runtypeStep,
  sourceStep,
  type StepDeps,
  type StepResult,
} from './rentSteps';

export type WizardDeps = Pick<
  Services,
  'accounts' | 'fleet' | 'volumes' | 'rentals' | 'globalState' | 'clock' | 'settings' | 'report' | 'log'
>;

type Search = Client['offers']['search'];

export type WizardEnd =
  | {
      readonly kind: 'rented';
      readonly results: readonly RentResult[];
      readonly wanted: number;
      readonly answerWasLost: boolean;
      readonly flow: RentFlow;
    }
  /** To the offers, which are out of date when one of them turned out to be gone. */
  | { readonly kind: 'back'; readonly isOutdated?: boolean }
  | { readonly kind: 'cancelled' };

/** From an offer to a rental; Back at the first step returns to the offers. */
export async function rentOffer(
  start: RentStart,
  deps: WizardDeps & { readonly account: Account },
  steps: StepDeps,
): Promise<WizardEnd> {
  const guard = new AcceptGuard(deps.clock);
  try {
    return await new RentWizard(new RentFlow(start), deps, steps, guard).run();
  } finally {
    guard.dispose();
  }
}

class RentWizard {
  private notice: Notice | undefined;
  /** No offer is left to confirm. */
  private nothingLeft = false;
  /** The user saw that it was not known, so the outcome must be said. */
  private answerWasLost = false;
  /** GB that the price of the offer includes. */
  private searchedDiskGb: number;
  private readonly rents: RentMemory;

  constructor(
    private readonly flow: RentFlow,
    private readonly deps: WizardDeps & { readonly account: Account },
    private readonly steps: StepDeps,
    private readonly guard: AcceptGuard,
  ) {
    this.searchedDiskGb = flow.query.diskGb;
    this.rents = new RentMemory(deps.globalState);
  }

  async run(): Promise<WizardEnd> {
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
        this.take(answer.value);
        this.flow.next();
      }
    }
  }

  private take({ set, unset }: StepResult): void {
    if (unset) {
      this.flow.unset(...unset);
    }
    if (set) {
      this.flow.set(set);
    }
  }

  private ask(step: Exclude<RentFlow['step'], 'confirm'>): Promise<Answer<StepResult>> {
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

  private input(): ConfirmationInput {
    const { flow, deps } = this;
    const { active } = deps.accounts;
    // As last read; the account of the search, whichever is active by now.
    const { user } = active?.key === deps.account.key ? active : deps.account;
    const credit = user.credit ?? user.balance;
    const burn = burnNow(deps);
    const limit = deps.settings.get('gpuRental.rent.limitPerHour');
    return {
      offer: flow.offer,
      choices: flow.choices,
      rentalType: flow.query.rentalType,
      searchedDiskGb: this.searchedDiskGb,
      stay: this.rents.stay,
      running: burn.rate,
      isRunningPartial: burn.isPartial,
      ...(credit === undefined ? {} : { credit }),
      ...(limit > 0 ? { limitPerHour: fromDollars(limit) } : {}),
    };
  }

  /** One showing of the confirmation; nothing when the wizard goes on. */
  private async confirm(): Promise<WizardEnd | undefined> {
    const answer: Answer<Confirmed> = await confirmStep(this.flow, this.input(), this.guard, this.notice);
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
      case 'sshDirect':
        this.flow.set({ runtype: 'ssh_direct' });
        return undefined;
      case 'rent':
        return this.rent(value.rate);
    }
  }

  /** The user has said yes: key, offer, rental. Comes back with a notice where the yes no longer holds. */
  private async rent(confirmed: Rate | undefined): Promise<WizardEnd | undefined> {
    if (!(await ensureSshKey())) {
      this.notice = {
        label: vscode.l10n.t('Nothing was rented.'),
        detail: vscode.l10n.t('No SSH key was chosen.'),
      };
      return undefined;
    }
    const copies = this.flow.choices.count ?? 1;
    const each = confirmed;
    const results: RentResult[] = [];
    const used = new Set<number>();
    const end = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Renting'), cancellable: true },
      async (progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => {
          abort.abort();
        });
        const say = (message: string) => {
          progress.report({ message });
        };
        for (let copy = 1; copy <= copies; copy += 1) {
          if (copies > 1) {
            say(vscode.l10n.t('machine {0} of {1}', copy, copies));
          }
          if (copy > 1 && !(await this.nextCopy(each, used, abort.signal))) {
            return 'some' as const;
          }
          const result = await this.rentOne(each, abort.signal, say);
          if (result === undefined) {
            return results.length > 0 ? ('some' as const) : ('none' as const);
          }
          results.push(result);
          used.add(this.flow.offer.id);
        }
        return 'all' as const;
      },
    );
    if (end === 'none') {
      return this.nothingLeft ? { kind: 'back', isOutdated: true } : undefined;
    }
    return { kind: 'rented', results, wanted: copies, answerWasLost: this.answerWasLost, flow: this.flow };
  }

  /** Another offer of the same GPU for no more than was confirmed; false where there is none. */
  private async nextCopy(
    each: Rate | undefined,
    used: ReadonlySet<number>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { offers } = this.deps.account.client;
    const { offer, query, choices, baseFilters } = this.flow;
    if (signal.aborted) {
      return false;
    }
    const search: Search = (wanted, options) => offers.search(wanted, options);
    try {
      const next = await findCopy(
        search,
        { offer, query, choices, baseFilters, confirmed: each },
        used,
        signal,
      );
      if (next) {
        this.flow.replaceOffer(next);
      }
      return next !== undefined;
    } catch (error) {
      if (!isCancelled(error)) {
        this.deps.report.error(error);
      }
      return false;
    }
  }

  private async rentOne(
    each: Rate | undefined,
    signal: AbortSignal,
    say: (message: string) => void,
  ): Promise<RentResult | undefined> {
    const { flow, deps } = this;
    const { offers } = deps.account.client;
    const search: Search = (wanted, options) => offers.search(wanted, options);
    try {
      say(vscode.l10n.t('checking the offer…'));
      const { offer, query, choices, baseFilters } = flow;
      const given = { offer, query, choices, baseFilters, confirmed: each };
      const check = await recheckOffer(search, given, signal);
      this.searchedDiskGb = rentalQuery(query, choices).diskGb;
      if (check.kind === 'gone') {
        this.offerNext(check.next);
        return undefined;
      }
      flow.replaceOffer(check.offer);
      if (check.kind === 'dearer') {
        this.notice = {
          label: vscode.l10n.t(
            'The price has risen from {0}/h to {1}/h. Nothing was rented.',
            formatMoney(check.before),
            formatMoney(check.after),
          ),
          detail: vscode.l10n.t('Enter rents at the price below.'),
        };
        return undefined;
      }
      if (check.kind === 'bidTooLow') {
        this.notice = {
          label: vscode.l10n.t(
            'Your bid is {0}/h, and the machine takes {1}/h at least by now. Nothing was rented.',
            formatMoney(check.bid),
            formatMoney(check.least),
          ),
          detail: vscode.l10n.t('Choose another bid below, or go back to the offers.'),
        };
        return undefined;
      }
      if (check.kind === 'repriced') {
        this.notice = {
          label: vscode.l10n.t('The service states another price now. Nothing was rented.'),
          detail: vscode.l10n.t('Enter rents at the price below.'),
        };
        return undefined;
      }
      say(vscode.l10n.t('sending the rental…'));
      return await this.send(check.offer, each, signal, say);
    } catch (error) {
      return this.failed(error, search, signal);
    }
  }

  private send(
    offer: Offer,
    each: Rate | undefined,
    signal: AbortSignal,
    say: (message: string) => void,
  ): Promise<RentResult> {
    const { flow, deps } = this;
    const { query, choices, baseFilters } = flow;
    const limit = query.filters.pricePerHour?.max;
    const priceLimit = limit === undefined ? (each === undefined ? zero : perHour(each)) : fromDollars(limit);
    return deps.rentals.rent(
      {
        accountKey: deps.account.key,
        offer,
        config: planRent(choices, query.rentalType),
        search: wireSearch(rentalSearch({ query, choices, baseFilters })),
        rentalType: query.rentalType,
        priceLimit,
      },
      {
        signal,
        onWait: (waitMs) => {
          say(vscode.l10n.t('the service asks to wait {0} s…', Math.ceil(waitMs / 1000)));
        },
        onNotKnown: () => {
          this.answerWasLost = true;
          say(vscode.l10n.t('no answer; looking whether the machine was rented…'));
        },
      },
    );
  }

  /** A refusal: the machine is taken, or the reason is said and the confirmation shown again. */
  private async failed(error: unknown, search: Search, signal: AbortSignal): Promise<undefined> {
    if (isCancelled(error) || signal.aborted) {
      this.notice = {
        label: vscode.l10n.t('Nothing was rented.'),
        detail: vscode.l10n.t('You stopped it before it was sent.'),
      };
      return undefined;
    }
    if (error instanceof GoneError || error instanceof NotFoundError) {
      const { offer, query, choices, baseFilters } = this.flow;
      const check = await nextBest(search, { offer, query, choices, baseFilters }).catch(() => undefined);
      this.offerNext(check?.kind === 'gone' ? check.next : undefined);
      return undefined;
    }
    this.notice = {
      label: vscode.l10n.t('Nothing was rented.'),
      detail: error instanceof UserError ? localize(error.text) : vscode.l10n.t('The log has the details.'),
    };
    this.deps.report.error(error);
    return undefined;
  }

  private offerNext(next: Offer | undefined): void {
    const gone = plainLabel(machineName(this.flow.offer));
    if (next) {
      const { volume, bidPerHour } = this.flow.choices;
      this.flow.replaceOffer(next);
      const bid = bidPerHour === undefined ? undefined : defaultBid(next);
      if (bid !== undefined && bidPerHour !== undefined && bidPerHour < (next.minBidPerHour ?? zero)) {
        // Shown with its price, and confirmed anew.
        this.flow.set({ bidPerHour: bid });
      }
      this.notice = {
        label: vscode.l10n.t('{0} is gone: somebody else rented it. Nothing was rented.', gone),
        detail:
          volume !== undefined && this.flow.choices.volume === undefined
            ? vscode.l10n.t(
                'This is the next best offer of your search, without the volume of the other one.',
              )
            : vscode.l10n.t('This is the next best offer of your search.'),
      };
    } else {
      this.nothingLeft = true;
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          '{0} is gone, and no other offer matches your search. Nothing was rented. Change the filters.',
          gone,
        ),
      );
    }
  }
}

/** True when somebody can log in afterwards, or wants to rent all the same. */
async function ensureSshKey(): Promise<boolean> {
  const known = await vscode.commands.getCommands(true);
  if (!known.includes('gpuRental.ensureSshKey')) {
    return true;
  }
  return (await runCommand('gpuRental.ensureSshKey')) !== false;
}
