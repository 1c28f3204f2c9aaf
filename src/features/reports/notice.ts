import type { ReportView } from '../../webview/report/protocol';

export type ReportNotice = ReportView['notices'][number];

/** A sentence above a report, without buttons. */
export function reportNotice(severity: ReportNotice['severity'], sentence: string): ReportNotice {
  return { severity, text: sentence, buttons: [] };
}
