import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { pickFromList, type StepAnswer, type Row } from '../../editor/quickPick';
import { formatMoney } from '../../model/money';
import { describeFilters } from '../../model/offers/filterText';
import type { Filters } from '../../model/offers/searchFields';
import { perHour, type Rate } from '../../model/quote';
import type { AcceptGuard } from '../../model/rentals/acceptGuard';
import { confirmation, type Confirmation, type ConfirmationInput } from '../../model/rentals/confirmation';
import { searchLimit } from '../../model/rentals/rentDraft';
import { type Fact, machineName, type RentStep } from '../../model/rentals/rentFacts';
import type { RentFlow } from '../../model/rentals/rentFlow';
import { sourceName } from '../../model/rentals/rentPlan';
import type { RentalOrder } from '../../model/rentals/rentalOrder';
import { plainLabel } from '../../util/plainLabel';
import { firstLineText } from '../../util/scriptLines';

export type Confirmed =
  | { readonly kind: 'rent'; /** For one machine, without volumes. */ readonly rate: Rate | undefined }
  | { readonly kind: 'open'; readonly step: RentStep }
  | { readonly kind: 'sshDirect' }
  /** Returns to the offers and shows only those that fit. */
  | { readonly kind: 'fit'; readonly filters: Filters }
  /** Asks for another usage to estimate, or another end. */
  | { readonly kind: 'stay' | 'end' };

/** Why nothing was rented since the user last saw the confirmation, shown above it; each part is one line. */
export interface ConfirmNotice {
  readonly reason: string;
  /** What the user can do, or further details. */
  readonly detail?: string | undefined;
}

/** The last step: what is rented and what it costs. Enter rents. */
export function confirmStep(
  flow: RentFlow,
  input: ConfirmationInput,
  guard: AcceptGuard,
  notice: ConfirmNotice | undefined,
): Promise<StepAnswer<Confirmed>> {
  const facts = confirmation(input);
  const { order } = flow.draft;
  return pickFromList<Confirmed>({
    title: order ? t('Rent for {0}: Confirm', order.name) : t('Rent: Confirm'),
    step: flow.position,
    totalSteps: flow.steps.length,
    canGoBack: true,
    placeholder: t('Press Enter to rent, or Escape to cancel. Choose a row below to change it.'),
    // No row is always shown: typing filters the rows, and Enter must then use the match instead of renting.
    rows: order
      ? orderRows(flow.draft, order, input, facts, notice)
      : confirmRows(flow.draft, input, facts, notice),
    // Over the limit, the user must choose the row that names the excess; a habitual Enter does not rent.
    activeId: overReason(facts) === undefined ? 'rent' : 'over',
    ignoreFocusOut: true,
    guard,
  });
}

function confirmRows(
  { workspace }: RentFlow['draft'],
  input: ConfirmationInput,
  facts: Confirmation,
  notice: ConfirmNotice | undefined,
): readonly Row<Confirmed>[] {
  const separator = (label: string): Row<Confirmed> => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const over = overReason(facts);
  return [
    ...(notice === undefined ? [] : [noticeRow(notice)]),
    ...(over === undefined ? [] : [{ id: 'over', icon: 'warning', label: over }]),
    rentRow(input, facts),
    ...warningRows(facts),
    ...fitRows(facts),
    separator(t('Cost')),
    ...facts.cost.map(factRow),
    separator(t('What is rented')),
    ...facts.what
      .map(factRow)
      .map((row) => (row.id === 'fact:onstart' ? { ...row, ...scriptDetail(workspace, input) } : row)),
    {
      id: 'options',
      label: t('More Options…'),
      description: t(
        'environment, ports, on-start script, volume, Jupyter, registry, start later, number of machines',
      ),
      value: { kind: 'open', step: 'options' },
    },
  ];
}

/** Shows how the script begins that the file of a workspace gives. Any other script may hold secrets. */
function scriptDetail(
  workspace: RentFlow['draft']['workspace'],
  { choices }: ConfirmationInput,
): { readonly detail?: string } {
  const script = workspace?.onStart;
  return script === undefined || choices.onstart !== script
    ? {}
    : { detail: plainLabel(localize(firstLineText(script))) };
}

function noticeRow({ reason, detail }: ConfirmNotice): Row<Confirmed> {
  const problem =
    detail === undefined
      ? { label: t('Nothing was rented.'), detail: reason }
      : { label: t('{0} Nothing was rented.', reason), detail };
  return { id: 'notice', icon: 'info', ...problem };
}

/** The same for an order: names what it is for, and has no start options. */
function orderRows(
  draft: RentFlow['draft'],
  order: RentalOrder,
  input: ConfirmationInput,
  facts: Confirmation,
  notice: ConfirmNotice | undefined,
): readonly Row<Confirmed>[] {
  const about = order.facts(facts.quote.running, searchLimit(draft.query), input.offer);
  const rows = confirmRows(draft, input, facts, notice).filter(({ id }) => id !== 'options');
  if ('objection' in about) {
    const label = localize(about.objection);
    return [{ id: 'over', icon: 'warning', label }, ...rows.filter(({ id }) => id !== 'rent')];
  }
  const at = rows.findIndex(({ id }) => id === 'rent') + 1;
  return [
    ...rows.slice(0, at).map((row) =>
      row.id === 'rent'
        ? {
            ...row,
            label: order.rentLabel
              ? localize(order.rentLabel(row.label))
              : t('{0} and Run {1}', row.label, order.name),
          }
        : row,
    ),
    { label: localize(order.heading), kind: vscode.QuickPickItemKind.Separator },
    ...about.map(({ id, label, value }): Row<Confirmed> => ({
      id: `order:${id}`,
      label: localize(label),
      description: plainLabel(localize(value)),
    })),
    ...rows.slice(at),
  ];
}

/** Returns the reason why a habitual Enter must not rent. */
function overReason({ overLimit, budget }: Confirmation): string | undefined {
  if (overLimit) {
    return t('Over your price limit. Choose how to continue below.');
  }
  switch (budget) {
    case 'within':
      return undefined;
    case 'usedUp':
      return t('Over your budget. Choose how to continue below.');
    case 'unread':
      return t('Could not check your budget. Choose how to continue below.');
  }
}

function rentLabel({ total, overLimit, budget }: Confirmation, copies: number): string {
  if (total === undefined) {
    return t('Rent without a Stated Price');
  }
  const price = formatMoney(perHour(total));
  if (overLimit) {
    return t('Rent over the Limit for {0}/h', price);
  }
  switch (budget) {
    case 'within':
      return copies > 1 ? t('Rent {0} Machines for {1}/h', copies, price) : t('Rent for {0}/h', price);
    case 'usedUp':
      return t('Rent over the Budget for {0}/h', price);
    case 'unread':
      return t('Rent without a Budget Check for {0}/h', price);
  }
}

function rentRow(input: ConfirmationInput, facts: Confirmation): Row<Confirmed> {
  return {
    id: 'rent',
    icon: 'credit-card',
    label: rentLabel(facts, input.choices.count ?? 1),
    description: plainLabel(machineName(input.offer)),
    detail: plainLabel(sourceName(input.choices.source)),
    value: { kind: 'rent', rate: facts.quote.running },
    isGuarded: true,
  };
}

function warningRows({ warnings }: Confirmation): readonly Row<Confirmed>[] {
  return warnings.map((warning): Row<Confirmed> => {
    const base = { id: `warning:${warning.id}`, icon: 'warning', label: plainLabel(localize(warning.text)) };
    if (warning.id === 'noShell') {
      return {
        ...base,
        detail: t('Press Enter on this row to use direct SSH instead.'),
        value: { kind: 'sshDirect' },
      };
    }
    return warning.step === undefined ? base : { ...base, value: { kind: 'open', step: warning.step } };
  });
}

/** A row that searches for machines that fit, if this one does not. */
function fitRows({ fitFilters }: Confirmation): readonly Row<Confirmed>[] {
  return fitFilters === undefined
    ? []
    : [
        {
          id: 'fit',
          icon: 'filter',
          label: t('Show Only Offers That Fit'),
          description: describeFilters(fitFilters).map(localize).join(' · '),
          value: { kind: 'fit', filters: fitFilters },
        },
      ];
}

function factRow(fact: Fact): Row<Confirmed> {
  const row = {
    id: `fact:${fact.id}`,
    label: localize(fact.label),
    description: plainLabel(localize(fact.value)),
  };
  const { step } = fact;
  if (step === undefined) {
    return row;
  }
  return { ...row, value: step === 'stay' || step === 'end' ? { kind: step } : { kind: 'open', step } };
}
