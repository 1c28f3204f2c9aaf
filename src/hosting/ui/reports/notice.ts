import type { ReportView } from '../../../webview/report/protocol';

export type ReportNotice = ReportView['notices'][number];

/** Returns a notice without buttons, to be shown above a report. */
export function reportNotice(severity: ReportNotice['severity'], sentence: string): ReportNotice {
  return { severity, text: sentence, buttons: [] };
}
