import * as z from 'zod';
import { usualStay, type Usage } from '../../model/quote';
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
