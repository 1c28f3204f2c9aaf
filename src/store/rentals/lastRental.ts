import * as z from 'zod';
import { usualStay, type Usage } from '../../model/quote';
import type { AgreedEnd } from '../../model/rentals/agreedEnd';
import type { RentChoices } from '../../model/rentals/rentPlan';
import type { Memory } from '../offers/recentSearches';

const key = 'gpuRental.rent.last';
const most = 6;

const shape = z.object({
  images: z.array(z.string().max(1024)).catch([]),
  templateId: z.number().optional().catch(undefined),
  diskGb: z.number().min(1).max(1_000_000).optional().catch(undefined),
});

const stayKey = 'gpuRental.rent.stay';
const stayShape = z.object({ hours: z.number(), downGb: z.number(), upGb: z.number() });

export interface EndSettings {
  get(key: 'gpuRental.end.idleMinutes' | 'gpuRental.end.destroyAfterDays'): number;
}

/** When rentals end, as far as the settings say. */
export function endOfSettings(settings: EndSettings): AgreedEnd {
  return {
    idleMinutes: settings.get('gpuRental.end.idleMinutes'),
    destroyAfterDays: settings.get('gpuRental.end.destroyAfterDays'),
  };
}

const endKey = (accountKey: string) => `gpuRental.rent.end.${accountKey}`;
const keptNumber = z
  .object({ value: z.number().min(0), setting: z.number() })
  .optional()
  .catch(undefined);
const endShape = z.object({ idleMinutes: keptNumber, destroyAfterDays: keptNumber }).catch({});

/**
 * The choices of the last rental, as defaults for the next; they never contain a secret. All accounts share them, so
 * only the number of a template is kept: its name belongs to the account.
 */
export class LastRental {
  constructor(private readonly memory: Memory) {}

  /** Images, latest first; empty if the last rental was from a template. */
  get images(): readonly string[] {
    return this.read().images;
  }

  get templateId(): number | undefined {
    return this.read().templateId;
  }

  /** The usage that estimates assume. */
  get stay(): Usage {
    const parsed = stayShape.safeParse(this.memory.get(stayKey));
    return parsed.success ? parsed.data : usualStay;
  }

  async keepStay(stay: Usage): Promise<void> {
    await this.memory.update(stayKey, stay);
  }

  /** Returns what the user last chose for rentals of this account; a setting that changed since then counts instead. */
  end(accountKey: string, settings: AgreedEnd): AgreedEnd {
    const kept = endShape.parse(this.memory.get(endKey(accountKey)) ?? {});
    const number = (key: keyof AgreedEnd) =>
      kept[key]?.setting === settings[key] ? kept[key].value : settings[key];
    return { idleMinutes: number('idleMinutes'), destroyAfterDays: number('destroyAfterDays') };
  }

  async keepEnd(accountKey: string, chosen: Partial<AgreedEnd>, settings: AgreedEnd): Promise<void> {
    const kept = endShape.parse(this.memory.get(endKey(accountKey)) ?? {});
    const { idleMinutes, destroyAfterDays } = chosen;
    await this.memory.update(endKey(accountKey), {
      ...kept,
      ...(idleMinutes === undefined
        ? {}
        : { idleMinutes: { value: idleMinutes, setting: settings.idleMinutes } }),
      ...(destroyAfterDays === undefined
        ? {}
        : { destroyAfterDays: { value: destroyAfterDays, setting: settings.destroyAfterDays } }),
    });
  }

  get diskGb(): number | undefined {
    return this.read().diskGb;
  }

  async keep({ source, diskGb }: RentChoices): Promise<void> {
    const before = this.read();
    const images =
      source.kind === 'image'
        ? [source.image, ...before.images.filter((image) => image !== source.image)].slice(0, most)
        : before.images;
    await this.memory.update(key, {
      images,
      ...(source.kind === 'template' ? { templateId: source.template.id } : {}),
      ...(source.kind === 'image' && diskGb !== undefined ? { diskGb } : {}),
    });
  }

  private read() {
    const parsed = shape.safeParse(this.memory.get(key));
    return parsed.success ? parsed.data : { images: [] };
  }
}
