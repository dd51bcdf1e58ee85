import { CELL_CAPACITY } from './sliding-window.js';

/** Timestamps are relative to this time (September 2020), so that the available bits suffice until 2090. */
export const EPOCH_MS = 1_600_000_000_000;

/**
 * One hit against one sliding window, atomically in Redis.
 *
 * The key is a list: the cells, oldest first, then the number of slots in use. A cell is `stamp * 4096 + count`. Each
 * cell is pushed and popped once, so a hit costs a constant number of list operations at the ends: amortised O(1).
 * Cells and the order of timestamps are as in {@link SlidingWindow}. Time is that of the Redis server. A hit is
 * stamped with the next whole millisecond and expires by the current one, so two hits in one slot are never closer
 * than the window. Timestamps more than a window in the future (the server's clock was set back) become now, so that
 * nobody waits longer than one window for a slot.
 *
 * KEYS[1] list. ARGV limit, window ms, cost, cell ms, 1 to count or 0 to look, now in ms or '' for the server's time.
 * Returns { allowed 0|1, remaining, reset ms, retry after ms }.
 */
export const SLIDING_WINDOW_LUA = `
local key = KEYS[1]
local limit, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local width, commit = tonumber(ARGV[4]), ARGV[5] == '1'
local now, stamp
if ARGV[6] == '' then
  local time = redis.call('TIME')
  local ms = time[1] * 1000 + time[2] / 1000 - ${EPOCH_MS}
  now, stamp = math.floor(ms), math.ceil(ms)
else
  now = tonumber(ARGV[6]) - ${EPOCH_MS}
  stamp = now
end
local function text(number) return string.format('%.0f', number) end
local function stampOf(cell) return math.floor(cell / 4096) end

local total = redis.call('LINDEX', key, -1)
local exists = total and true or false
local used = tonumber(total or 0)

if used > 0 and stampOf(tonumber(redis.call('LINDEX', key, -2))) > now + window then
  redis.call('DEL', key)
  local rest = used
  while rest > 0 do
    local count = math.min(rest, ${CELL_CAPACITY})
    redis.call('RPUSH', key, text(now * 4096 + count))
    rest = rest - count
  end
  redis.call('RPUSH', key, text(used))
  redis.call('PEXPIRE', key, window)
end

local before = used
while used > 0 do
  local cell = tonumber(redis.call('LINDEX', key, 0))
  if stampOf(cell) + window > now then break end
  redis.call('LPOP', key)
  used = used - cell % 4096
end

local allowed = used + cost <= limit
if allowed and commit then
  local merged, count = false, cost
  if used > 0 then
    local cell = tonumber(redis.call('LINDEX', key, -2))
    local last = stampOf(cell)
    stamp = math.max(stamp, last)
    merged = math.floor(last / width) == math.floor(stamp / width) and cell % 4096 + cost <= ${CELL_CAPACITY}
    if merged then count = cell % 4096 + cost end
  end
  used = used + cost
  local newest = text(stamp * 4096 + count)
  if merged then
    redis.call('LSET', key, -2, newest)
    redis.call('LSET', key, -1, text(used))
  elseif exists then
    redis.call('LSET', key, -1, newest)
    redis.call('RPUSH', key, text(used))
  else
    redis.call('RPUSH', key, newest, text(used))
  end
  redis.call('PEXPIRE', key, stamp - now + window)
elseif used ~= before then
  if used == 0 then redis.call('DEL', key) else redis.call('LSET', key, -1, text(used)) end
end

local reset, retry = 0, 0
if used > 0 then
  reset = math.min(window, stampOf(tonumber(redis.call('LINDEX', key, 0))) + window - now)
end
if not allowed then
  local places, from = used + cost - limit, 0
  retry = window
  while cost <= limit and places > 0 and from < used do
    for _, cell in ipairs(redis.call('LRANGE', key, from, math.min(from + 99, redis.call('LLEN', key) - 2))) do
      places = places - cell % 4096
      if places <= 0 then
        retry = math.min(window, stampOf(cell) + window - now)
        break
      end
    end
    from = from + 100
  end
end
return { allowed and 1 or 0, math.max(0, limit - used), reset, retry }
`;

/**
 * One hit against one bucket, atomically in Redis. The key contains the time at which the bucket will be full again,
 * in whole milliseconds since {@link EPOCH_MS}, as in `TokenBucket`, and expires at that time. Time is that of the
 * Redis server. If its clock was set back, nobody waits longer than the time to fill a bucket.
 *
 * KEYS[1] string. ARGV limit, ms from empty to full, cost, now in ms or '' for the server's time. Returns { allowed
 * 0|1, remaining, reset ms, retry after ms }.
 */
export const TOKEN_BUCKET_LUA = `
local key = KEYS[1]
local limit, fill, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now
if ARGV[4] == '' then
  local time = redis.call('TIME')
  now = math.floor(time[1] * 1000 + time[2] / 1000) - ${EPOCH_MS}
else
  now = tonumber(ARGV[4]) - ${EPOCH_MS}
end
local place = fill / limit
local stored = math.max(0, tonumber(redis.call('GET', key) or 0) - now)
local missing = math.min(fill, stored)
local late = missing + cost * place - fill
local allowed = late <= 0
if allowed then missing = missing + cost * place end
if allowed or stored > fill then
  redis.call('SET', key, string.format('%.0f', now + missing), 'PX', string.format('%.0f', missing))
end
local reset = missing % place
if reset == 0 then reset = math.min(missing, place) end
return { allowed and 1 or 0, math.floor((fill - missing) / place), reset, allowed and 0 or math.min(fill, late) }
`;
