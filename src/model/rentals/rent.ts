import type { EnvObject } from '../documents/envObject';
import type { Micros } from '../money';

export const runtypes = [
  'ssh_direct',
  'ssh_proxy',
  'ssh',
  'jupyter_direct',
  'jupyter_proxy',
  'jupyter',
  'args',
] as const;
export type Runtype = (typeof runtypes)[number];

export interface VolumeChoice {
  readonly kind: 'link' | 'create';
  /** The volume when linking, the volume offer when creating. */
  readonly volumeId: number;
  readonly sizeGb?: number;
  readonly mountPath: string;
}

/**
 * What the user decided. With a template, a field stays `undefined` unless the user changed it, because each
 * field of the request overrides the template (docs/service/renting.md#template-merge).
 */
export interface RentConfig {
  readonly templateHash?: string;
  /** Not sent: finds the template again after an edit, which changes its hash. */
  readonly templateId?: number;
  readonly image?: string;
  readonly diskGb?: number;
  /** What is sent ends in our marker; what was chosen has none. */
  readonly label?: string;
  readonly runtype?: Runtype;
  readonly targetState?: 'running' | 'stopped';
  /** A bid; present exactly when the offer was searched as interruptible. */
  readonly bidPerHour?: Micros;
  /**
   * Added to the template's environment; the same name here wins (docs/service/renting.md#template-merge).
   */
  readonly env?: EnvObject;
  readonly onstart?: string;
  readonly args?: string;
  readonly useJupyterLab?: boolean;
  readonly jupyterDir?: string;
  readonly pythonUtf8?: boolean;
  readonly langUtf8?: boolean;
  /** A secret: never shown, never kept with the history. */
  readonly imageLogin?: string;
  /** False lets a rental wait, stopped and with a disk that bills, until the machine is free. */
  readonly cancelUnavailable?: boolean;
  readonly vm?: boolean;
  readonly volume?: VolumeChoice;
  /** Not sent as it is: the machine stops itself by then where no job begins (docs/jobs.md). */
  readonly guardSeconds?: number;
}

/** The answer to a rental that took effect. */
export interface Rented {
  readonly instanceId: number;
  /** False where the service said `success: false` beside an id: it exists and bills all the same. */
  readonly confirmed: boolean;
  readonly message?: string;
}
