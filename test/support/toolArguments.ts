import type { ToolName } from '../../src/agents/model/toolShapes';

const rental = { quote: 'quote_1', requestId: 'request-no-1' };
const of7 = { instance: 'inst_7', requestId: 'request-no-1' };
/** Arguments that each tool takes. */
export const argumentsOf: Readonly<Record<ToolName, object>> = {
  search_offers: {},
  list_templates: {},
  quote_rental: { offer: 'offer_7', image: 'ubuntu', diskGb: 20, hours: 2, then: 'stop' },
  request_rental: rental,
  get_request: { request: 'request_7' },
  list_instances: {},
  get_instance: { instance: 'inst_7' },
  connect_instance: { instance: 'inst_7' },
  run_command: { ...of7, command: 'ls' },
  set_schedule: { ...of7, hoursFromNow: 1, then: 'stop' },
  change_state: { ...of7, to: 'stopped' },
  destroy_instance: of7,
  check_job: { job: 'train' },
  run_job: { plan: 'plan_1', requestId: 'request-no-1' },
  get_job: { job: 'job_1' },
  list_jobs: {},
  fetch_outputs: { job: 'job_1' },
  stop_job: { job: 'job_1', requestId: 'request-no-1' },
  extend_job: { job: 'job_1', hours: 1, requestId: 'request-no-1' },
};
