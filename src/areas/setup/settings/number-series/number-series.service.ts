import { Injectable } from '@nestjs/common';
import { Cursors } from '#libs/kernel/cursor.js';
import { numberOf } from '#libs/kernel/number-pattern.js';
import { Problem } from '#libs/kernel/problem.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { PageQuery } from '#libs/resource/lists/page-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { referencePattern } from '#libs/resource/records/number-series.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { DOCUMENT_SERIES } from '#libs/settings/number-series.model.js';
import { type EffectiveSettings, TenantSettings } from '#libs/settings/tenant-settings.js';
import { SettingsService } from '../settings.service.js';
import type { NumberSeriesView, UpdateNumberSeries } from './number-series.dto.js';
import { keyOf, SERIES_NAMES, type SeriesName, SeriesRules } from './series-rules.js';

/** The number series of the tenant. Document series are stored in the section `finance` of the settings. */
@Injectable()
export class NumberSeriesService {
  constructor(
    private readonly kit: ResourceKit,
    private readonly settings: SettingsService,
    private readonly effective: TenantSettings,
    private readonly rules: SeriesRules,
    private readonly cursors: Cursors,
  ) {}

  async list(query: PageQuery): Promise<Page<NumberSeriesView>> {
    const all = (await this.all()).map((series) => ({ id: series.key, ...series }));
    return pageOfAll(all, query, this.cursors, ['settings.number_series']);
  }

  /** @throws Problem 404. */
  async get(key: string): Promise<NumberSeriesView> {
    const found = (await this.all()).find((series) => series.key === key);
    if (!found) throw Problem.notFound();
    return found;
  }

  /** @throws Problem 404, 409 `record_locked` for references, and the problems of a change of the settings. */
  async update(key: string, { version, next, ...numbering }: UpdateNumberSeries): Promise<NumberSeriesView> {
    const name = SERIES_NAMES.find((each) => keyOf(each) === key);
    if (!name) {
      await this.get(key);
      throw new Problem('record_locked', 'Record references cannot be changed.');
    }
    const series = { ...numbering, ...(next === undefined ? {} : { startAt: next }) };
    const patch = { ...(version === undefined ? {} : { version }), finance: { series: { [name]: series } } };
    return this.settings.changeAt(`/finance/series/${name}`, patch, (changed) => this.documents(name, changed));
  }

  /** All series, ordered by key. */
  private async all(): Promise<NumberSeriesView[]> {
    const { version } = await this.settings.read('finance');
    const settings = { ...(await this.effective.get()), version };
    const documents = await Promise.all(SERIES_NAMES.map((name) => this.documents(name, settings)));
    return [...documents, ...(await this.references(settings))].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  private async documents(
    name: SeriesName,
    settings: EffectiveSettings & { version: number },
  ): Promise<NumberSeriesView> {
    const { pattern, resets } = settings.finance.series[name];
    const { next } = await this.rules.next(settings, name);
    return {
      key: keyOf(name),
      object: DOCUMENT_SERIES[name],
      field: 'number',
      ...{ pattern, resets, scope: 'tenant', gapless: true, changeable: true, next },
      preview: numberOf(pattern, this.rules.today(settings), next),
      version: settings.version,
    };
  }

  private async references({ version }: { version: number }): Promise<NumberSeriesView[]> {
    const counts = await this.kit.numbers.counts();
    return this.kit.registry.all().map(({ type, prefix }) => {
      const [pattern, next] = [referencePattern(prefix), counts.get(type) ?? 1];
      return {
        key: `${type}.reference`,
        object: type,
        field: 'reference',
        ...{ pattern, resets: 'never', scope: 'tenant', gapless: false, changeable: false, next },
        preview: numberOf(pattern, '', next),
        version,
      };
    });
  }
}
