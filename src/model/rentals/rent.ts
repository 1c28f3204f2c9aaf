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
  /** The id of the volume to link, or of the volume offer to create from. */
  readonly volumeId: number;
  /** Not sent: the machine that the volume is on or will be on. It can't be attached on another one. */
  readonly machineId?: number;
  readonly sizeGb?: number;
  /** Sent for a new one, by which workspace files find it. */
  readonly name?: string;
  readonly mountPath: string;
}

/**
 * The user's decisions. With a template, a field stays `undefined` unless the user changed it, because each field of
 * the request overrides the template (docs/service/renting.md#template-merge).
 */
export interface RentConfig {
  readonly templateHash?: string;
  /** Not sent: finds the template again after an edit, which changes its hash. */
  readonly templateId?: number;
  readonly image?: string;
  readonly diskGb?: number;
  /** The user's label; the one that is sent also contains our marker. */
  readonly label?: string;
  readonly runtype?: Runtype;
  readonly targetState?: 'running' | 'stopped';
  /** The bid; present exactly if the offer was searched as interruptible. */
  readonly bidPerHour?: Micros;
  /**
   * Added to the template's environment; a variable of the same name in it is overridden
   * (docs/service/renting.md#template-merge).
   */
  readonly env?: EnvObject;
  readonly onstart?: string;
  readonly args?: string;
  readonly useJupyterLab?: boolean;
  readonly jupyterDir?: string;
  readonly pythonUtf8?: boolean;
  readonly langUtf8?: boolean;
  /** A secret: never shown, never stored with the history. */
  readonly imageLogin?: string;
  /** False lets a rental wait, stopped, until the machine is free; its disk costs money. */
  readonly cancelUnavailable?: boolean;
  readonly vm?: boolean;
  readonly volume?: VolumeChoice;
  /** Not sent: the user wants the service's shared tmux. */
  readonly keepsSharedTmux?: boolean;
}

/** The answer to a rental that succeeded. */
export interface Rented {
  readonly instanceId: number;
  /** False if the service answered `success: false` with an id: the instance exists and costs money anyway. */
  readonly confirmed: boolean;
  readonly message?: string;
}
