import { readdir } from 'node:fs/promises';
import * as z from 'zod';
import { noEnd } from '../../model/rentals/agreedEnd';
import type { RentConfig } from '../../model/rentals/rent';
import { defined } from '../../util/defined';
import { parseJson } from '../../util/json';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import { accountPath } from '../accounts/accountFiles';
import type { SecretPort } from '../accounts/patientSecrets';
import { IdFolder, ownId } from '../disk/rowFolder';
import type { Rental } from './rentalStore';

/** Only this store writes these files; the schema checks what decisions depend on. */
const rentalFile = z.object({
  version: z.literal(1),
  rental: z.custom<Rental>(
    (value) =>
      z
        .looseObject({
          marker: z.string().regex(ownId),
          accountKey: z.string(),
          windowId: z.string(),
          requestedAt: z.number(),
          offer: z.looseObject({ id: z.number() }),
          config: z.looseObject({}),
          rentalType: z.enum(['on-demand', 'interruptible']),
          priceLimit: z.number(),
          phase: z.looseObject({
            kind: z.enum(['sent', 'notKnown', 'notRented', 'waiting', 'ready', 'failed', 'ended']),
          }),
        })
        .safeParse(value).success,
  ),
});

/** The parts of a configuration that may hold secrets. */
const secretParts = z.object({
  env: z.record(z.string(), z.string()).optional(),
  onstart: z.string().optional(),
  args: z.string().optional(),
  imageLogin: z.string().optional(),
});
type SecretParts = z.infer<typeof secretParts>;

/** Returns the secret store entry for the secret parts of a rental. */
export function rentalSecretKey(marker: string): string {
  return `gpuRental.rental.${marker}`;
}

/** Returns the secret store entries of an account's rentals, as far as the disk names them. */
export async function rentalSecretKeys(storageDir: string, accountKey: string): Promise<readonly string[]> {
  const names = (await ifPresent(readdir(rentalsPath(storageDir, accountKey)))) ?? [];
  return names.flatMap((name) => {
    const marker = /^([0-9a-f]{8})\.json$/.exec(name)?.[1];
    return marker === undefined ? [] : [rentalSecretKey(marker)];
  });
}

function rentalsPath(storageDir: string, accountKey: string): string {
  return accountPath(storageDir, accountKey, 'rentals');
}

/** Ended rentals older than this are of no use (ms). */
const keepEndedMs = 90 * 24 * 3_600_000;

/** What the disk gave of the rentals of an account. */
interface RentalsRead {
  readonly rentals: readonly Rental[];
  /** False where the disk refused one of them. */
  readonly isWhole: boolean;
  /** The paths of damaged files that were set aside, by the marker of their rental. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** Rentals on disk, one file each; parts that may be secret are in the secret store. */
export class RentalJournal {
  private readonly secretsHere = new Map<string, SecretParts>();
  /** Markers of files that the disk refused, so that each is logged once. */
  private readonly refused = new Set<string>();

  constructor(
    private readonly storageDir: string,
    private readonly secrets: SecretPort,
    private readonly log: Log,
  ) {}

  /** Reads the unknown rentals. */
  async list(accountKey: string, now: number, isKnown: (marker: string) => boolean): Promise<RentalsRead> {
    const folder = this.folder(accountKey);
    const markers = await folder.ids();
    const rentals: Rental[] = [];
    let isWhole = true;
    for (const marker of markers.filter((one) => !isKnown(one))) {
      const rental = await this.get(accountKey, marker).catch((error: unknown) => {
        // One unreadable file must not hide the other rentals.
        isWhole = false;
        if (!this.refused.has(marker)) {
          this.refused.add(marker);
          this.log.error(`The rental ${marker} could not be read`, error);
        }
        return undefined;
      });
      if (rental && overSince(rental) !== undefined && now - rental.requestedAt > keepEndedMs) {
        await this.dropSecrets(rental.marker);
        await this.file(accountKey, rental.marker).remove();
      } else if (rental) {
        rentals.push(rental);
      }
    }
    return { rentals, isWhole, damaged: await folder.setAside() };
  }

  async get(accountKey: string, marker: string): Promise<Rental | undefined> {
    const rental = (await this.file(accountKey, marker).value())?.rental;
    return rental && withJobSeconds(rental);
  }

  /** Stores a rental, on disk when it resolves; if it rejects, nothing may be sent. */
  async put(rental: Rental): Promise<void> {
    await this.file(rental.accountKey, rental.marker).write({ version: 1, rental });
  }

  /** Stores the secret parts; without a secret store they last as long as this window. */
  async putSecrets(marker: string, config: RentConfig): Promise<void> {
    const parts: SecretParts = {
      env: config.env === undefined ? undefined : { ...config.env },
      onstart: config.onstart,
      args: config.args,
      imageLogin: config.imageLogin,
    };
    if (Object.values(parts).every((part) => part === undefined)) {
      return;
    }
    this.secretsHere.set(marker, parts);
    try {
      await this.secrets.store(rentalSecretKey(marker), JSON.stringify(parts));
    } catch {
      // The error's text could contain the values.
      this.log.warn(
        'The editor did not keep the environment of a rental; it can be replaced from this window only',
      );
    }
  }

  /** Returns the configuration as sent; undefined if its secret parts are lost. */
  async fullConfig(rental: Rental): Promise<RentConfig | undefined> {
    if (!hasSecretParts(rental.config)) {
      return rental.config;
    }
    const here = this.secretsHere.get(rental.marker) ?? (await this.readSecrets(rental.marker));
    if (!here) {
      return undefined;
    }
    const { env, onstart, args, imageLogin } = here;
    return { ...rental.config, ...defined<Partial<RentConfig>>({ env, onstart, args, imageLogin }) };
  }

  private async readSecrets(marker: string): Promise<SecretParts | undefined> {
    try {
      const value = await this.secrets.get(rentalSecretKey(marker));
      return value === undefined ? undefined : secretParts.safeParse(parseJson(value)).data;
    } catch {
      return undefined;
    }
  }

  /** Deletes the secret parts; never rejects. */
  async dropSecrets(marker: string): Promise<void> {
    this.secretsHere.delete(marker);
    try {
      await this.secrets.delete(rentalSecretKey(marker));
    } catch (error) {
      this.log.error('The environment of an ended rental could not be removed', error);
    }
  }

  private folder(accountKey: string): IdFolder {
    return new IdFolder(rentalsPath(this.storageDir, accountKey), ownId, this.log);
  }

  private file(accountKey: string, marker: string) {
    return this.folder(accountKey).file(marker, rentalFile);
  }
}

/** Returns since when the rental has no instance, as far as known; milliseconds since 1970. */
export function overSince({ phase, goneAt }: Rental): number | undefined {
  return goneAt ?? (phase.kind === 'notRented' ? phase.at : undefined);
}

/** Older versions kept the time of a job's guard beside the end. */
function withJobSeconds(rental: Rental): Rental {
  const { guardSeconds, ...config } = rental.config as RentConfig & { readonly guardSeconds?: unknown };
  return typeof guardSeconds === 'number'
    ? { ...rental, config, end: { ...noEnd, ...rental.end, jobSeconds: guardSeconds } }
    : rental;
}

/** Returns the configuration for the disk; an empty text marks a part that is stored elsewhere. */
export function withoutSecretParts(config: RentConfig): RentConfig {
  const copy: { -readonly [Key in keyof RentConfig]: RentConfig[Key] } = { ...config };
  if (copy.env !== undefined) {
    copy.env = Object.fromEntries(Object.keys(copy.env).map((name) => [name, '']));
  }
  for (const part of ['onstart', 'args', 'imageLogin'] as const) {
    if (copy[part] !== undefined) {
      copy[part] = '';
    }
  }
  return copy;
}

function hasSecretParts(config: RentConfig): boolean {
  return (
    config.env !== undefined ||
    config.onstart !== undefined ||
    config.args !== undefined ||
    config.imageLogin !== undefined
  );
}
