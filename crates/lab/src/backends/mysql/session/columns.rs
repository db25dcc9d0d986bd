//! Hot path: the types of a statement's columns, as its rows are read by. Few lie in the statement itself: behind a
//! pointer they were one more place that each execution had to fetch from far away.

use wire::mysql::ColumnType;

/// As many as leave the statement no larger than with a pointer to more.
const FEW: usize = 7;

pub(crate) enum Columns {
    Few { count: u8, types: [ColumnType; FEW] },
    Many(Vec<ColumnType>),
}

impl Columns {
    pub(crate) const NONE: Self = Self::Few { count: 0, types: [ColumnType::signed(ColumnType::NULL); FEW] };

    #[inline]
    pub(crate) fn types(&self) -> &[ColumnType] {
        match self {
            Self::Few { count, types } => &types[..usize::from(*count)],
            Self::Many(types) => types,
        }
    }

    /// Adds the type of the next column; the first is of a new result, which may have fewer than the one before.
    pub(crate) fn set(&mut self, index: usize, column: ColumnType) {
        match self {
            Self::Few { count, types } if index < FEW => {
                let at = index.min(usize::from(*count));
                types[at] = column;
                *count = at as u8 + 1;
            }
            Self::Few { .. } => {
                let mut types = self.types().to_vec();
                types.push(column);
                *self = Self::Many(types);
            }
            Self::Many(types) => {
                types.truncate(index);
                types.push(column);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_each_result_are_its_own_wherever_they_lie() {
        let mut columns = Columns::NONE;
        for count in [1, FEW, 2, FEW + 1, 3 * FEW, 3] {
            for code in 0..count {
                columns.set(code, ColumnType::signed(code as u8));
            }
            let codes = |columns: &Columns| columns.types().iter().map(|t| usize::from(t.code)).collect::<Vec<_>>();
            assert_eq!(codes(&columns), (0..count).collect::<Vec<_>>());
            for code in 0..count {
                columns.set(code, ColumnType::signed(100 + code as u8));
            }
            assert_eq!(codes(&columns), (100..100 + count).collect::<Vec<_>>());
        }
    }
}
