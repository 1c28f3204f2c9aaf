import { rentalEnvProblem } from '../model/documents/rentalEnv';
import { toDollars } from '../model/money';
import type { RentConfig, Rented } from '../model/rentals/rent';
import { defined } from '../util/defined';
import { CancelledError } from '../util/errors';
import { text } from '../util/text';
import { rentAnswer, type WireRentRequest } from '../wire/instance';
import {
  ApiError,
  mayHaveTakenEffect,
  NotSentError,
  NotUnderstoodError,
  RentOutcomeUnknownError,
} from './errors';
import type { CallOptions, Http } from './http';
import { readImageLogin } from './imageLogin';
import { packOnstart } from './onstart';
import { write } from './request';
import { cleanServiceText } from './serviceText';

const route = 'PUT /api/v0/asks/{offer_id}/';

export interface RentCallOptions extends CallOptions {
  /** Called whenever the request leaves, which may be after a wait. */
  readonly onSend?: () => void;
  /** Asked before a refused rental is sent again, since a refusal may be wrong; false passes it on. */
  readonly beforeAgain?: () => Promise<boolean>;
}

/**
 * Rents an offer (docs/service/renting.md#request). The request is sent once; only a refusal with a 4xx
 * status is sent again. An answer with `new_contract` is an instance, with any other fields. Throws
 * `RentOutcomeUnknownError` when the request may have taken effect, which includes a cancelled one.
 */
export async function rent(
  http: Http,
  offerId: number,
  config: RentConfig,
  options: RentCallOptions = {},
): Promise<Rented> {
  const body = rentBody(config);
  const request = { mayHaveTakenEffect: false };
  try {
    const answer = await http.call(
      {
        ...write(route, { offer_id: offerId }),
        body,
        accept: (given) => rentAnswer.safeParse(given).data?.new_contract !== undefined,
        onSend: () => {
          request.mayHaveTakenEffect = true;
          options.onSend?.();
        },
        // A wait or a sign-in that follows a refusal may be cancelled.
        onRefused: () => {
          request.mayHaveTakenEffect = false;
        },
        beforeAgain: options.beforeAgain,
      },
      rentAnswer,
      options,
    );
    if (answer.new_contract === undefined) {
      throw new NotUnderstoodError({ route, status: 200 });
    }
    const message = answer.msg === undefined ? undefined : cleanServiceText(answer.msg);
    return defined<Rented>({ instanceId: answer.new_contract, confirmed: answer.success !== false, message });
  } catch (error) {
    // A request cancelled after it was sent may have taken effect as well
    // (docs/rules.md#a-rental-is-sent-once).
    const isUnknown = error instanceof CancelledError || mayHaveTakenEffect(error);
    throw request.mayHaveTakenEffect && isUnknown ? unknownOutcome(error) : error;
  }
}

function unknownOutcome(error: unknown): RentOutcomeUnknownError {
  const known = error instanceof ApiError ? error : undefined;
  return new RentOutcomeUnknownError({ route, status: known?.status, code: known?.code, cause: error });
}

/**
 * Leaves unset fields out, because each field that is sent overrides the template
 * (docs/service/renting.md#template-merge).
 */
function rentBody(config: RentConfig): WireRentRequest {
  if (config.templateHash === undefined && (config.image === undefined || config.image === '')) {
    throw new NotSentError(text('Neither an image nor a template is given. Choose one and try again.'));
  }
  if (config.imageLogin !== undefined && !readImageLogin(config.imageLogin)) {
    throw new NotSentError(
      text('The registry login is not in the form that the service takes. Enter it again.'),
    );
  }
  const { volume } = config;
  if (volume && !volume.mountPath.startsWith('/')) {
    throw new NotSentError(
      text('The folder of the volume must begin with a slash, such as /data. It is "{0}".', volume.mountPath),
    );
  }
  return defined<WireRentRequest>({
    template_hash_id: config.templateHash,
    image: config.image,
    disk: config.diskGb,
    label: config.label,
    runtype: config.runtype,
    target_state: config.targetState,
    price: config.bidPerHour === undefined ? undefined : toDollars(config.bidPerHour),
    env: checkedEnv(config.env),
    onstart: config.onstart === undefined ? undefined : packOnstart(config.onstart),
    args_str: config.args,
    use_jupyter_lab: config.useJupyterLab,
    jupyter_dir: config.jupyterDir,
    python_utf8: config.pythonUtf8,
    lang_utf8: config.langUtf8,
    image_login: config.imageLogin,
    // Without the flag, an instance that can't start remains, stopped, and its disk
    // costs money (docs/service/renting.md#unavailable-machines).
    cancel_unavail: config.cancelUnavailable ?? (config.targetState === 'stopped' ? undefined : true),
    vm: config.vm,
    volume_info:
      volume === undefined
        ? undefined
        : defined<NonNullable<WireRentRequest['volume_info']>>({
            create_new: volume.kind === 'create',
            volume_id: volume.volumeId,
            size: volume.kind === 'create' ? volume.sizeGb : undefined,
            mount_path: volume.mountPath,
            // See docs/service/renting.md#volumes.
            name: volume.kind === 'create' ? volume.name : undefined,
          }),
  });
}

function checkedEnv(env: RentConfig['env']): RentConfig['env'] {
  for (const [name, value] of Object.entries(env ?? {})) {
    const problem = rentalEnvProblem(name, value);
    if (problem) {
      throw new NotSentError(problem);
    }
  }
  return env;
}
