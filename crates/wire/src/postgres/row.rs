//! Hot path: a DataRow, borrowed where it lies in the receive buffer: a count, then for each cell its length and its
//! text.

use crate::reader::{Malformed, Reader};

/// The length that stands for NULL.
const NULL: i32 = -1;

#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    fields: Reader<'a>,
    columns: usize,
}

impl<'a> Row<'a> {
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Reader::new(body);
        let columns = usize::from(fields.big_u16()?);
        Ok(Self { fields, columns })
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The cells from left to right, `None` for NULL; the iterator ends after an error.
    #[inline]
    pub fn cells(&self) -> Cells<'a> {
        Cells { fields: self.fields, left: self.columns }
    }
}

#[derive(Clone, Debug)]
pub struct Cells<'a> {
    fields: Reader<'a>,
    left: usize,
}

impl<'a> Cells<'a> {
    #[inline]
    fn cell(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        let cell = match self.fields.big_i32()? {
            NULL => None,
            length => {
                let length = usize::try_from(length).map_err(|_| Malformed("a cell of a negative length"))?;
                Some(self.fields.bytes(length)?)
            }
        };
        let ends_badly = self.left == 0 && !self.fields.is_empty();
        if ends_badly { Err(Malformed("a row goes on after its last cell")) } else { Ok(cell) }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Option<&'a [u8]>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let cell = self.cell();
        if cell.is_err() {
            self.left = 0;
        }
        Some(cell)
    }
}
