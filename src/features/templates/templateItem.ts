import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { dayText } from '../../editor/timeText';
import { tooltip } from '../../editor/tooltip';
import type { Template } from '../../model/templates/template';
import { templateImage, templateName } from '../../model/templates/templateName';
import type { TemplateGroup, TemplateNode } from './templateNodes';

export interface ItemFacts {
  readonly isMine: boolean;
  readonly isFavourite: boolean;
  readonly isUnsaved: boolean;
}

const readmeLimit = 2_000;

/** Returns the row of a template: its name, image and tag. */
export function templateItem(
  node: TemplateNode & { readonly kind: 'template' },
  template: Template,
  facts: ItemFacts,
): vscode.TreeItem {
  const name = templateName(template);
  const image = templateImage(template);
  const item = new vscode.TreeItem(facts.isUnsaved ? t('{0} (unsaved)', name) : name);
  item.id = `template-${node.group}-${node.templateId}`;
  item.description = image;
  item.iconPath = new vscode.ThemeIcon(
    facts.isFavourite ? 'star-full' : facts.isMine && template.private !== false ? 'lock' : 'package',
  );
  item.contextValue = [
    '',
    'template',
    facts.isMine ? 'mine' : 'public',
    facts.isFavourite ? 'favourite' : 'plain',
    '',
  ].join(';');
  item.command = {
    command: 'gpuRental.template.edit',
    title: t('Open'),
    arguments: [{ templateId: template.id }],
  };
  item.accessibilityInformation = {
    label: [name, image, facts.isMine ? '' : t('By another user'), facts.isUnsaved ? t('unsaved') : '']
      .filter((part) => part !== '')
      .join(', '),
  };
  return item;
}

/** Returns a tooltip with the main facts and the readme. Text of the service is never parsed as Markdown or links. */
export function templateTooltip(template: Template, facts: ItemFacts): vscode.MarkdownString {
  const lines = [
    template.desc ?? '',
    templateImage(template),
    template.runtype === undefined ? '' : t('Run type {0}', template.runtype),
    template.recommendedDiskGb === undefined ? '' : t('Disk {0} GB', template.recommendedDiskGb),
    facts.isMine
      ? template.private === false
        ? t('Visible to everyone')
        : t('Private')
      : t('By another user'),
    dated(template.createdAt, (day) => t('Created on {0}', day)),
    template.createdCount === undefined ? '' : t('Rented {0}×', template.createdCount),
    dated(template.recentCreateAt, (day) => t('Last rented on {0}', day)),
    `#${template.id} · ${template.hashId}`,
  ];
  const readme = template.readme?.trim() ?? '';
  return tooltip(lines, {
    heading: templateName(template),
    text: readme.length > readmeLimit ? `${readme.slice(0, readmeLimit)}…` : readme,
  });
}

/** Returns an empty string if the service reports no time, an impossible one, or 0 for never. */
function dated(seconds: number | undefined, words: (day: string) => string): string {
  const day = seconds === undefined || seconds === 0 ? undefined : dayText(seconds * 1000);
  return day === undefined ? '' : words(day);
}

/** Returns the heading of a group. */
export function groupItem(group: TemplateGroup, count: string): vscode.TreeItem {
  const names: Readonly<Record<TemplateGroup, string>> = {
    mine: t('Mine'),
    favourites: t('Favorites'),
    recent: t('Recent'),
    recommended: t('Recommended'),
  };
  const item = new vscode.TreeItem(
    names[group],
    group === 'recommended'
      ? vscode.TreeItemCollapsibleState.Collapsed
      : vscode.TreeItemCollapsibleState.Expanded,
  );
  item.id = `template-group-${group}`;
  item.description = count;
  item.contextValue = ';group;';
  return item;
}

/** Returns the last row of a long group. */
export function moreItem(group: TemplateGroup, count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Show More…'));
  item.id = `template-more-${group}`;
  item.description = t('{0} more', count);
  item.tooltip = t('Use "Open Template…" to find a template by name');
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.contextValue = ';more;';
  item.command = {
    command: 'gpuRental.template.showMore',
    title: t('Show More…'),
    arguments: [group],
  };
  return item;
}
