import { commandAction, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import { momentText } from '../../editor/timeText';
import { labelOf } from '../../editor/titles';
import type { JobRow } from '../../jobs/model/job';
import { limitAt } from '../../jobs/model/jobExtension';
import { jobCost } from '../../jobs/model/jobLimits';
import { jobEndText } from '../../jobs/model/jobText';
import { jobNotice, jobNoticeKind, servedNews, type JobNotice } from '../../jobs/store/jobNotice';
import { formatMoney } from '../../model/money';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { tokensText } from '../model/modelText';
import { servingFailureText } from '../model/servingFailure';
import type { ServedModel } from '../store/servedModels';
import type { ModelDeps } from './deps';

/** Shows messages about served models, each in one window only. */
export function showModelMessages(deps: ModelDeps): Disposable {
  const store = new DisposableStore();
  store.add(
    deps.notices.onDidPost(({ key, kind, accountKey, data }) => {
      const notice = jobNotice.safeParse(data);
      if (kind === jobNoticeKind && notice.success && accountKey === deps.accounts.active?.key) {
        deps.oneWindow.offer(`${key} model`, () => showNotice(deps, notice.data));
      }
    }),
  );
  store.add(deps.servedModels.onDidChange(() => offerNews(deps)));
  return store;
}

async function showNotice(deps: ModelDeps, { kind, jobId }: JobNotice): Promise<void> {
  if (!servedNews.includes(kind)) {
    return;
  }
  await deps.jobs.ready;
  await deps.servedModels.refresh();
  const row = deps.jobs.find(jobId);
  const model = deps.servedModels.find(jobId);
  if (!row || !model) {
    return;
  }
  const again = titledAction('gpuRental.model.serveAgain', { jobId });
  const log = commandAction(labelOf('gpuRental.showLog'), 'gpuRental.job.showLog', { jobId });
  if (kind === 'lost') {
    message('warning', t('The machine of {0} is gone.', model.name), again, log);
  } else if (kind === 'notStarted') {
    const why = row.state.why ? localize(row.state.why) : '';
    message('warning', t('{0} was not started. {1}', model.name, why), again);
  } else if (kind === 'nearLimit') {
    const now = deps.clock.now();
    const at = momentText(limitAt(row) ?? now, now);
    message('warning', t('{0} reaches its limit at {1} and then ends.', model.name, at), keepAction(model));
  } else {
    showEnd(deps, row, model, [again, log]);
  }
}

/** The user's own stop needs no message. */
function showEnd({ clock }: ModelDeps, row: JobRow, model: ServedModel, actions: readonly Action[]): void {
  const { end } = row.state;
  if (end?.why === 'cancelled') {
    return;
  }
  const cost = jobCost(row, clock.now());
  const { failure } = model.serving;
  const isIdle = end?.why === 'itself' && end.code === 0;
  const sentence = isIdle
    ? t(
        '{0} ended after {1} without a request.',
        model.name,
        localize(durationText(model.idleMinutes * 60_000)),
      )
    : failure
      ? localize(servingFailureText(failure, model))
      : t('{0}: {1}.', model.name, localize(jobEndText(end)));
  message(
    isIdle ? 'info' : 'warning',
    cost === undefined ? sentence : t('{0} It cost {1}.', sentence, formatMoney(cost)),
    ...actions,
  );
}

function keepAction({ id }: ServedModel): Action {
  return titledAction('gpuRental.model.keep', { jobId: id });
}

/** What the log says: that a model answers, and that it ends soon. */
function offerNews({ clock, jobs, oneWindow, servedModels }: ModelDeps): void {
  for (const model of servedModels.all.filter((one) => !one.isOver && one.serving.stage === 'ready')) {
    const { contextTokens, isEnding, idleEndInSeconds } = model.serving;
    const isStillSo = () => servedModels.find(model.id)?.isOver === false;
    oneWindow.offer(
      `model ${model.id} ready`,
      () =>
        message(
          'info',
          contextTokens === undefined
            ? t('{0} is ready.', model.name)
            : t('{0} is ready, with a context of {1} tokens.', model.name, tokensText(contextTokens)),
          titledAction('gpuRental.model.useInChat', { jobId: model.id }),
          titledAction('gpuRental.model.copyEndpoint', { jobId: model.id }),
        ),
      { isStillSo },
    );
    const row = jobs.find(model.id);
    if (isEnding && idleEndInSeconds !== undefined && row) {
      // Windows note the same end, and a later one is another.
      const at = (row.state.lastSeenAt ?? clock.now()) + idleEndInSeconds * 1000;
      oneWindow.offer(
        `model ${model.id} ends ${Math.round(at / 600_000)}`,
        () =>
          message(
            'warning',
            t('{0} ends at {1}, because there are no requests.', model.name, momentText(at, clock.now())),
            keepAction(model),
          ),
        { isStillSo: () => isStillSo() && servedModels.find(model.id)?.serving.isEnding === true },
      );
    }
  }
}
