import { Injectable } from '@nestjs/common';
import { isCounted } from './slo.js';
import type { SloView } from './slo.dto.js';
import { SloFigures } from './slo-figures.js';
import { SloRepository } from './slo.repository.js';

/** How the objectives of the tenant stand now. */
@Injectable()
export class SloHealthService {
  constructor(
    private readonly repository: SloRepository,
    private readonly figures: SloFigures,
  ) {}

  /** All objectives that count, measured. */
  async read(): Promise<SloView[]> {
    const measured = await this.figures.measure((await this.repository.all()).filter(isCounted));
    return measured.map((each) => this.figures.view(each));
  }
}
