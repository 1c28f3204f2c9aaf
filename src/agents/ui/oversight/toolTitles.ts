import { t } from '../../../editor/localize';
import type { ToolName } from '../../model/toolShapes';

/** Titles of the tools for users. */
const titles: Readonly<Record<ToolName, string>> = {
  search_offers: t('Search GPU offers'),
  list_templates: t('List templates'),
  quote_rental: t('Quote a rental'),
  request_rental: t('Ask to rent'),
  get_request: t('Check a request'),
  list_instances: t('List instances'),
  get_instance: t('Show an instance'),
  connect_instance: t('Prepare a connection'),
  run_command: t('Run a command'),
  set_schedule: t('Set when an instance ends'),
  change_state: t('Stop or start an instance'),
  destroy_instance: t('Destroy an instance'),
};

/** Returns the title of a tool, or its name if another version of this extension wrote it. */
export function toolTitle(tool: string): string {
  return Object.hasOwn(titles, tool) ? titles[tool as ToolName] : tool;
}
