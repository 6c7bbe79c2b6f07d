package postgres

// GetMany implements storage.Tx: rows of the snapshot that are not read
// yet share round trips.
func (t *tx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	if len(keys) == 0 {
		return values, nil
	}
	id, err := t.bucket(bucket)
	if err != nil {
		return nil, err
	}
	asked := make([]rowKey, 0, len(keys))
	places := make([]int, 0, len(keys))
	for i, key := range keys {
		if err := checkKey(key); err != nil {
			return nil, err
		}
		at := rowKey{id, string(key)}
		c, changed := t.own.get(at)
		if !changed {
			c, changed = t.base.get(at)
		}
		switch {
		case !changed:
			asked, places = append(asked, at), append(places, i)
		case !c.gone:
			values[i] = append([]byte{}, c.value...)
		}
	}
	rows, err := t.snap.getMany(asked)
	if err != nil {
		return nil, t.lose(err)
	}
	for n, row := range rows {
		t.record(asked[n], row.version)
		if row.version != 0 {
			values[places[n]] = append([]byte{}, row.value...)
		}
	}
	return values, nil
}

// getMany is get for many rows.
func (s *snapshot) getMany(all []rowKey) ([]stored, error) {
	rows := make([]stored, len(all))
	lookups := make([]*lookup, 0, len(all))
	places := make([]int, 0, len(all))
	s.mu.Lock()
	for i, at := range all {
		if row, ok := s.cache[at]; ok {
			rows[i] = row
			continue
		}
		lookups = append(lookups, &lookup{bucket: at.bucket, key: []byte(at.key), done: make(chan struct{}, 1)})
		places = append(places, i)
	}
	if len(lookups) == 0 {
		s.mu.Unlock()
		return rows, nil
	}
	s.ask(lookups...)
	for n, l := range lookups {
		if l.err != nil {
			return nil, l.err
		}
		rows[places[n]] = l.row
	}
	return rows, nil
}
